/** The progress that each step of a ceremony reports. */
import { deepEqual, ok } from "node:assert/strict";
import {
  announceBeacon,
  beginCeremony,
  type CeremonyStep,
  closeWithBeacon,
  contributeToCeremony,
} from "../../src/ops/ceremony/ceremony.ts";
import { loadCeremony } from "../../src/ops/ceremony/ceremony_folder.ts";
import { memoryFolder } from "../../src/ops/ceremony/rehearsal/memory_folder.ts";
import { verifyCeremony } from "../../src/ops/ceremony/verify_ceremony.ts";
import {
  announcement,
  beacon,
  emptyPlan,
  openTinyCeremony,
  utf8,
} from "../support/ceremony/ceremony_fixture.ts";

/** Runs a step. Its stages must never go back. Returns the first and last fraction that each stage reported. */
async function stagesOf(
  step: (options: Required<Pick<CeremonyStep, "onProgress">>) => Promise<unknown>,
): Promise<Record<string, [first: number, last: number]>> {
  const stages = new Map<string, number[]>();
  await step({
    onProgress: (stage, fraction) => void stages.set(stage, [...stages.get(stage) ?? [], fraction]),
  });
  for (const [stage, fractions] of stages) {
    ok(fractions.every((fraction, i) => i === 0 || fraction > fractions[i - 1]), `${stage}: ${fractions}`);
  }
  return Object.fromEntries(
    [...stages].map(([stage, fractions]) => [stage, [fractions[0], fractions.at(-1)!]]),
  );
}

/** Stages that read one chunk of a file, or check one key, report only their beginning. */
const begun: [number, number] = [0, 0];
const contributing = {
  "checking the key of withdraw": begun,
  "contributing to withdraw": [9 / 25, 1],
  "checking the key of deposit": begun,
  "contributing to deposit": [4 / 12, 1],
};

Deno.test("each stage of a ceremony reports its progress until it has ended", async () => {
  await using tiny = await openTinyCeremony();
  const { arithmetic, origin } = tiny;
  const folder = memoryFolder();
  const step = { folder, arithmetic };
  deepEqual(await stagesOf((progress) => beginCeremony({ ...step, ...origin, ...progress })), {
    "checking the powers of tau": [30 / 231, 1],
    "making the key of withdraw": [7 / 64, 1],
    "making the key of deposit": [5 / 36, 1],
    "hashing the powers of tau": begun,
  });
  await announceBeacon({ ...step, announcement });
  const contribute = (name: string) =>
    stagesOf((progress) => contributeToCeremony({ ...step, name, entropy: utf8(name), ...progress }));
  deepEqual(await contribute("Alice"), contributing);
  deepEqual(await contribute("Bob"), { "checking the transcript": [1 / 2, 1], ...contributing });
  deepEqual(await stagesOf((progress) => closeWithBeacon({ ...step, ...beacon, ...progress })), {
    "checking the transcript": [1 / 4, 1],
    "hashing the beacon": [1, 1],
    ...contributing,
  });
  const ceremony = await loadCeremony(folder);
  const verification = { ceremony, plan: emptyPlan, arithmetic, inputs: origin };
  deepEqual(await stagesOf((progress) => verifyCeremony({ ...verification, ...progress })), {
    "checking the transcript": [1 / 6, 1],
    "hashing the beacon": [1, 1],
    "hashing the powers of tau": begun,
    "checking the powers of tau": [30 / 231, 1],
    "building the initial key of withdraw": [7 / 64, 1],
    "checking the key of withdraw": begun,
    "building the initial key of deposit": [5 / 36, 1],
    "checking the key of deposit": begun,
  });
});
