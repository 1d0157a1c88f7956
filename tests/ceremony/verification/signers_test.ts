/** The signers that the release names decide whether a ceremony gives keys for mainnet, weak keys, or none. */
import assert from "node:assert/strict";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { CeremonyPlan } from "../../../src/ops/ceremony/ceremony_plan.ts";
import { checkPinnedKeys } from "../../../src/ops/keys/pinned_keys.ts";
import { type ArtifactPins, openArtifacts } from "../../../src/prover/artifacts.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { runCli } from "../../support/cli/run_cli.ts";

const STRONG = "ceremony keys, 3 contributions, 3 signed by named contributors, and a beacon";

/** Rehearses a ceremony of three named signers. */
async function openScene(directory: string) {
  const folder = `${directory}/rehearsal`;
  assert.equal((await runCli(["ceremony", "rehearse", "--quiet", "--output", folder])).code, 0);
  const plan: CeremonyPlan = JSON.parse(await Deno.readTextFile(`${folder}/plan.json`));
  const finalize = async (name: string, { contributors }: CeremonyPlan, ...flags: string[]) => {
    await Deno.writeTextFile(`${directory}/${name}.json`, JSON.stringify({ ...plan, contributors }));
    return await runCli([
      ...["ceremony", "finalize", `${folder}/ceremony`, "--powers", `${folder}/powers.ptau`],
      ...["--circuits", `${folder}/circuits`, "--plan", `${directory}/${name}.json`],
      ...["--output", `${directory}/${name}`, ...flags],
    ]);
  };
  const openKeys = async (name: string, change: Partial<ArtifactPins> = {}) => {
    const base = new URL(`file://${directory}/${name}/artifacts/`);
    const pins: ArtifactPins = JSON.parse(await Deno.readTextFile(new URL("pins.json", base)));
    return openArtifacts(base, { ...pins, ...change });
  };
  return { finalize, plan, openKeys, directory };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("keys are for mainnet only with three named signers, not all of them the coordinator", (t) =>
  withTempDirectory(async (directory) => {
    const scene = await openScene(directory);
    await t.step(
      "three named signers need no flag, and their keys are not weak",
      () => acceptsThreeSigners(scene),
    );
    await labelsWeakKeys(t, scene);
    await refusesForeignKeys(t, scene);
    await refusesOtherBeacons(t, scene);
    await t.step("an open ceremony is no proof for keys", () => refusesOpenCeremony(scene));
  }));

async function acceptsThreeSigners({ finalize, plan, openKeys }: Scene): Promise<void> {
  const { code, stdout, stderr } = await finalize("strong", plan);
  assert.equal(code, 0, stderr);
  assert.ok(stdout.startsWith(`${STRONG}\n`), stdout);
  await checkPinnedKeys(await openKeys("strong"), 1, plan);
}

async function labelsWeakKeys(
  t: Deno.TestContext,
  { plan, finalize, directory, openKeys }: Scene,
): Promise<void> {
  const few: [name: string, contributors: CeremonyPlan["contributors"], reason: RegExp, signers: number][] = [
    [
      "coordinator",
      plan.contributors.map((each) => ({ ...each, coordinator: true })),
      /every signed contribution is the coordinator's, at least one must be another's/,
      3,
    ],
    [
      "unnamed",
      plan.contributors.slice(0, 2),
      /2 contributions signed by contributors that the release/,
      2,
    ],
  ];
  for (const [name, contributors, reason, signers] of few) {
    await t.step(`${name}: refused, or labelled weak permanently with --few-contributors`, async () => {
      const weakPlan = { ...plan, contributors };
      const refused = await finalize(name, weakPlan);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, reason);
      await assert.rejects(Deno.stat(`${directory}/${name}`), Deno.errors.NotFound);
      const label = `weak ${STRONG.replace("3 signed", `${signers} signed`)}`;
      const { code, stdout } = await finalize(name, weakPlan, "--few-contributors");
      assert.deepEqual([code, stdout.startsWith(`${label}\n`)], [0, true], stdout);
      await checkPinnedKeys(await openKeys(name), 1, weakPlan);
      await assert.rejects(
        checkPinnedKeys(await openKeys(name, { label: STRONG }), 1, weakPlan),
        /pins.json calls the keys "ceremony keys, .*", the transcript shows "weak ceremony keys/,
      );
    });
  }
}

async function refusesForeignKeys(t: Deno.TestContext, { directory, openKeys, plan }: Scene): Promise<void> {
  await t.step("a verification key that is not the one inside the proving key is refused", async () => {
    const file = `${directory}/strong/artifacts/deposit.vkey.json`;
    const original = await Deno.readTextFile(file);
    const key = JSON.parse(original);
    const other = JSON.stringify({ ...key, IC: key.IC.toReversed() });
    await Deno.writeTextFile(file, other);
    const { files } = JSON.parse(await Deno.readTextFile(`${directory}/strong/artifacts/pins.json`));
    const hash = bytesToHex(sha256(new TextEncoder().encode(other)));
    await assert.rejects(
      checkPinnedKeys(
        await openKeys("strong", { files: { ...files, "deposit.vkey.json": hash } }),
        1,
        plan,
      ),
      /deposit.vkey.json is not the verification key inside deposit.zkey/,
    );
    await Deno.writeTextFile(file, original);
  });

  await t.step("keys of another plan's initial keys are refused", async () => {
    const initialKeys = { ...plan.initialKeys!, deposit: "00".repeat(32) };
    const keys = await openKeys("strong");
    await assert.rejects(
      checkPinnedKeys(keys, 1, { ...plan, initialKeys }),
      /initial keys: deposit.0.zkey is not the initial key that the release pins/,
    );
    await assert.rejects(checkPinnedKeys(keys, 1), /release pins no initial keys/, "the committed plan");
  });
}

async function refusesOtherBeacons(t: Deno.TestContext, { openKeys, plan }: Scene): Promise<void> {
  const keys = await openKeys("strong");
  const pinned = plan.beacon!;
  const cases: [what: string, beacon: CeremonyPlan["beacon"], reason: RegExp][] = [
    ["no beacon", undefined, /release pins no beacon of a ceremony/],
    [
      "another source",
      { ...pinned, source: "other" },
      /beacon is of rehearsal, round 1, .* release pins other/,
    ],
    [
      "another round",
      { ...pinned, round: 2 },
      /beacon is of rehearsal, round 1, .* pins rehearsal, round 2/,
    ],
    ["another value", { ...pinned, value: "00".repeat(32) }, /beacon has another value than was published/],
  ];
  for (const [what, beacon, reason] of cases) {
    await t.step(`keys of a release that pins ${what} are refused`, async () => {
      await assert.rejects(checkPinnedKeys(keys, 1, { ...plan, beacon }), reason);
    });
  }
}

async function refusesOpenCeremony({ directory, openKeys, plan }: Scene): Promise<void> {
  const artifacts = `${directory}/strong/artifacts`;
  const transcript = JSON.parse(await Deno.readTextFile(`${artifacts}/transcript.json`));
  assert.equal(transcript.entries.pop().kind, "beacon");
  const open = JSON.stringify(transcript);
  await Deno.writeTextFile(`${artifacts}/transcript.json`, open);
  const keys = await openKeys("strong", { transcript: bytesToHex(sha256(new TextEncoder().encode(open))) });
  await assert.rejects(checkPinnedKeys(keys, 1, plan), /ceremony is open: close it/);
}
