/** Each step refuses a ceremony that is not ready for it, and changes nothing. */
import assert from "node:assert/strict";
import { openArithmeticPool } from "../../src/ops/ceremony/arithmetic/pool.ts";
import {
  announceBeacon,
  beginCeremony,
  closeWithBeacon,
  contributeToCeremony,
} from "../../src/ops/ceremony/ceremony.ts";
import { keyFileName } from "../../src/ops/ceremony/ceremony_folder.ts";
import { insecurePowersOfTau } from "../../src/ops/ceremony/rehearsal/insecure_powers.ts";
import { memoryFolder } from "../../src/ops/ceremony/rehearsal/memory_folder.ts";
import { TINY_POWER, tinyCircuits, tinyR1cs } from "../../src/ops/ceremony/rehearsal/tiny_circuits.ts";
import { memorySource } from "../../src/ops/ceremony/section_file.ts";
import { MAX_CONSTRAINTS } from "../../src/ops/ceremony/size_limits.ts";
import {
  announcement,
  beacon,
  copyFolder,
  matchesCeremonyProblem,
  type MemoryFolder,
  utf8,
} from "../support/ceremony/ceremony_fixture.ts";

/** Begins a ceremony on tiny circuits. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const arithmetic = openArithmeticPool(2);
  const initialFolder = memoryFolder();
  const powers = memorySource(insecurePowersOfTau(TINY_POWER));
  const announceRound = (round: number) => (folder: MemoryFolder) =>
    announceBeacon({ folder, arithmetic, announcement: { ...announcement, round } });
  const announce = announceRound(announcement.round);
  const announceLater = announceRound(announcement.round + 1);
  const contribute = (folder: MemoryFolder) =>
    contributeToCeremony({ folder, arithmetic, name: "Alice", entropy: utf8("e") });
  const close = (folder: MemoryFolder) => closeWithBeacon({ folder, arithmetic, ...beacon });
  const folderAfter = async (...steps: ((folder: MemoryFolder) => Promise<unknown>)[]) => {
    const folder = copyFolder(initialFolder);
    for (const step of steps) await step(folder);
    return folder;
  };
  const assertRefused = async (
    folder: MemoryFolder,
    step: (folder: MemoryFolder) => Promise<unknown>,
    reason: RegExp,
  ) => {
    const before = copyFolder(folder).files;
    await assert.rejects(step(folder), matchesCeremonyProblem(reason));
    assert.deepEqual(folder.files, before);
  };
  stack.defer(() => arithmetic.close());
  await beginCeremony({ folder: initialFolder, arithmetic, powers, r1cs: tinyCircuits() });
  const open = stack.move();
  return {
    assertRefused,
    folderAfter,
    close,
    announce,
    announceLater,
    contribute,
    arithmetic,
    powers,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("a step that comes too early or too late is refused, and changes nothing", async (t) => {
  await using scene = await openScene();
  await refusesWrongOrder(t, scene);
  await t.step("a circuit with too many constraints", () => refusesLargeCircuit(scene));
  await t.step("a contribution to other keys overwrites its seeds", () => clearsSeeds(scene));
});

async function refusesWrongOrder(
  t: Deno.TestContext,
  { assertRefused, folderAfter, close, announce, announceLater, contribute }: Scene,
): Promise<void> {
  await t.step("a beacon before any contribution", async () => {
    await assertRefused(await folderAfter(), close, /has no contribution: the secret of a beacon is public/);
    await assertRefused(
      await folderAfter(announce),
      close,
      /has no contribution: the secret of a beacon is public/,
    );
  });
  await t.step("a beacon that was not announced before the last contribution", async () => {
    const late = /has no beacon that was announced before the last contribution/;
    await assertRefused(await folderAfter(contribute), close, late);
    await assertRefused(await folderAfter(contribute, announce), close, late);
    await assertRefused(await folderAfter(announce, contribute, announceLater), close, late);
    await close(await folderAfter(announce, contribute, announceLater, contribute));
    await assertRefused(
      await folderAfter(announce, contribute),
      announce,
      /announcement 2 repeats announcement 1/,
    );
  });
  await t.step("anything after the beacon", async () => {
    const closed = await folderAfter(announce, contribute, close);
    for (const step of [announce, contribute, close]) {
      await assertRefused(closed, step, /is closed: its last entry/);
    }
  });
}

async function refusesLargeCircuit({ assertRefused, arithmetic, powers }: Scene): Promise<void> {
  const r1cs = { ...tinyCircuits(), deposit: tinyR1cs("deposit", MAX_CONSTRAINTS + 1) };
  await assertRefused(
    memoryFolder(),
    (folder) => beginCeremony({ folder, arithmetic, powers, r1cs }),
    /deposit.r1cs has 65537 constraints, more than the maximum of 65536/,
  );
}

async function clearsSeeds({ folderAfter, contribute, assertRefused }: Scene): Promise<void> {
  const folder = await folderAfter(contribute);
  folder.files.set(keyFileName("withdraw", 1), folder.files.get(keyFileName("withdraw", 0))!);
  const { slice } = Uint8Array.prototype;
  /** First the seeds, then the hashes of the folder's files, which are public. */
  const copies: Uint8Array[] = [];
  Uint8Array.prototype.slice = function (this: Uint8Array, ...args: Parameters<typeof slice>) {
    const copy = slice.apply(this, args);
    if (this.length === 64 && copy.length === 32) copies.push(copy);
    return copy;
  } as typeof slice;
  try {
    await assertRefused(folder, contribute, /withdraw.1.zkey does not have the hash in the transcript/);
  } finally {
    Uint8Array.prototype.slice = slice;
  }
  const cleared = copies.map((copy) => copy.every((byte) => byte === 0));
  assert.deepEqual(cleared, copies.map((_copy, i) => i < 2));
}
