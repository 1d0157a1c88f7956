/** The ceremony of version 2 pools has the same steps on other circuits. Only version 2 accepts its keys. */
import assert from "node:assert/strict";
import { bytesToHex } from "@noble/hashes/utils.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { Cell } from "@ton/core";
import { circuitsOfVersion, combinedVkeyHash } from "../../src/core/crypto/groth16.ts";
import { omit } from "../../src/core/omit.ts";
import { parseCeremonyPlan, planOf } from "../../src/ops/ceremony/ceremony_plan.ts";
import { parseTranscript } from "../../src/ops/ceremony/transcript/transcript.ts";
import { signedText } from "../../src/ops/ceremony/transcript/signature.ts";
import { checkPinnedKeys } from "../../src/ops/keys/pinned_keys.ts";
import { checkPoolKeys } from "../../src/ops/keys/pool_keys.ts";
import { type ArtifactPins, openArtifacts, version1Pins } from "../../src/prover/artifacts.ts";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { compileTolk } from "../../testkit/toolchain/tolk.ts";
import { runCli } from "../support/cli/run_cli.ts";
import { hashCanonicalJson } from "../support/ceremony/ceremony_fixture.ts";

/** Names the files of a rehearsal, and returns functions that run commands on them. */
function openScene(folder: string) {
  const output = `${folder}/rehearsal`;
  const inputs = ["--powers", `${output}/powers.ptau`, "--circuits", `${output}/circuits`];
  const planFile = ["--plan", `${output}/plan.json`];
  const ceremony = (command: string, ...args: string[]) =>
    runCli(["ceremony", command, `${output}/ceremony`, ...args]);
  const readPlan = async () => parseCeremonyPlan(await Deno.readFile(`${output}/plan.json`));
  return { output, readPlan, ceremony, inputs, planFile, folder };
}

type Scene = ReturnType<typeof openScene>;

Deno.test("the ceremony of version 2, from powers of tau to the keys of a build", (t) =>
  withTempDirectory(async (folder) => {
    const scene = openScene(folder);
    await rehearses(t, scene);
    await t.step(
      "verify builds both initial keys again, and compares the plan of version 2",
      () => verifiesInitialKeys(scene),
    );
    await t.step(
      "finalize writes a checkout's files, and a pool compiled with them has the pinned keys",
      () => finalizes(scene),
    );
    await refusesForeignKeys(t, scene);
  }));

async function rehearses(t: Deno.TestContext, { output, readPlan }: Scene): Promise<void> {
  await t.step("rehearse --pool-version 2 uses the circuits withdraw2 and settle16", async () => {
    const { code, stderr } = await runCli([
      ...["ceremony", "rehearse", "--pool-version", "2", "--output", output],
    ]);
    assert.equal(code, 0, stderr);
    const names = (await Array.fromAsync(Deno.readDir(`${output}/ceremony`))).map(({ name }) => name);
    assert.deepEqual(names.sort(), [
      "settle16.0.zkey",
      "settle16.4.zkey",
      "transcript.json",
      "withdraw2.0.zkey",
      "withdraw2.4.zkey",
    ]);
  });

  await t.step("signatures cover the whole entry, and the plan names both initial keys", async () => {
    const transcript = parseTranscript(await Deno.readFile(`${output}/ceremony/transcript.json`));
    const [, first] = transcript.entries;
    assert.ok(first.kind === "contribution");
    const unsigned = hashCanonicalJson(omit(first, "signature", "hash"));
    assert.equal(signedText(first), `tonado ceremony contribution\n${unsigned}\n`);
    const plan = await readPlan();
    assert.deepEqual(plan.initialKeys, null);
    assert.deepEqual(Object.keys(planOf(plan, transcript).initialKeys!), [...circuitsOfVersion[2]]);
  });
}

async function verifiesInitialKeys({ ceremony, inputs, planFile, folder, readPlan }: Scene): Promise<void> {
  const { code, stdout } = await ceremony("verify", "--full", ...inputs, ...planFile);
  assert.equal(code, 0, stdout);
  for (const name of circuitsOfVersion[2]) {
    for (const check of ["initial key", "key", "delta"]) {
      assert.match(stdout, new RegExp(`ok {5}${name}: ${check} `));
    }
  }
  const other = `${folder}/other.json`;
  const version2 = {
    ...(await readPlan()).version2!,
    initialKeys: { withdraw2: "00".repeat(32), settle16: "00".repeat(32) },
  };
  await Deno.writeTextFile(other, JSON.stringify({ ...await readPlan(), version2 }));
  const refused = await ceremony("verify", "--plan", other);
  assert.equal(refused.code, 1);
  assert.match(refused.stdout, /FAILED initial keys +withdraw2.0.zkey is not the initial key that the/);
}

async function finalizes({ ceremony, inputs, planFile, folder, readPlan }: Scene): Promise<void> {
  const { code, stdout, stderr } = await ceremony(
    ...["finalize", ...inputs, ...planFile, "--output", `${folder}/keys`, "--json"] as const,
  );
  assert.equal(code, 0, stderr);
  const base = new URL(`file://${folder}/keys/artifacts/`);
  const pins: ArtifactPins = JSON.parse(await Deno.readTextFile(new URL("pins.json", base)));
  const { version2, ...version1 } = pins;
  assert.deepEqual(version1, version1Pins, "the keys of version 1 do not change");
  const artifacts = openArtifacts(base, pins);
  await checkPinnedKeys(artifacts, 2, await readPlan());
  const hashes = Object.fromEntries(
    circuitsOfVersion[2].map((name) => [name, version2!.files[`${name}.vkey.json`]]),
  );
  const vkeyHash = combinedVkeyHash(hashes);
  assert.equal(JSON.parse(stdout).vkeyHash, vkeyHash);
  const sources = Object.fromEntries(
    await Promise.all(circuitsOfVersion[2].map(async (name) => {
      const path = `contracts/v2/generated/key_${name}.tolk`;
      return [path, await Deno.readTextFile(`${folder}/keys/${path}`)];
    })),
  );
  const code2 = Cell.fromBase64(await compileTolk("contracts/v2/pool_native.tolk", sources));
  const compiled = {
    code: code2,
    codeHash: code2.hash().toString("hex"),
    vkeyHash,
    version: 2,
  } as const;
  assert.deepEqual(await checkPoolKeys(artifacts, compiled), {
    label: "ceremony keys, 3 contributions, 3 signed by named contributors, and a beacon",
    development: false,
    weak: false,
  });
}

async function refusesForeignKeys(t: Deno.TestContext, { folder, readPlan }: Scene): Promise<void> {
  await t.step("keys that are not in the transcript of the version 2 ceremony are refused", async () => {
    const base = new URL(`file://${folder}/keys/artifacts/`);
    const pins: ArtifactPins = JSON.parse(await Deno.readTextFile(new URL("pins.json", base)));
    const artifacts = openArtifacts(base, pins);
    await assert.rejects(
      checkPinnedKeys(artifacts, 1, await readPlan()),
      /have no transcript of a ceremony/,
    );
    await assert.rejects(checkPinnedKeys(artifacts, 2), /release pins no initial keys/);
    const relabelled = { ...pins.version2!, label: "ceremony keys, 9 contributions" };
    await assert.rejects(
      checkPinnedKeys(openArtifacts(base, { ...pins, version2: relabelled }), 2, await readPlan()),
      /calls the keys "ceremony keys, 9 contributions"/,
    );
  });

  await t.step("the transcript of version 1 is refused for version 2", async () => {
    const first = `${folder}/version1`;
    assert.equal((await runCli(["ceremony", "rehearse", "--output", first])).code, 0);
    const base = new URL(`file://${folder}/keys/artifacts/`);
    const pins: ArtifactPins = JSON.parse(await Deno.readTextFile(new URL("pins.json", base)));
    const text = await Deno.readFile(`${first}/ceremony/transcript.json`);
    await Deno.writeFile(new URL("transcript2.json", base), text);
    const version2 = { ...pins.version2!, transcript: bytesToHex(sha256(text)) };
    await assert.rejects(
      checkPinnedKeys(openArtifacts(base, { ...pins, version2 }), 2, await readPlan()),
      /transcript is not of the circuits of version 2/,
    );
  });
}

Deno.test("a transcript that mixes the circuits of both versions is malformed", () => {
  const circuit = {
    r1cs: "00".repeat(32),
    constraints: 1,
    circuitHash: "00".repeat(64),
    zkey: "00".repeat(32),
  };
  const head = {
    format: "tonado-ceremony-3",
    powers: { sha256: "00".repeat(32), power: 4 },
    entries: [],
  };
  const parse = (...names: string[]) =>
    parseTranscript(new TextEncoder().encode(
      JSON.stringify({ ...head, circuits: Object.fromEntries(names.map((name) => [name, circuit])) }),
    ));
  for (const names of [["withdraw", "deposit"], ["withdraw2", "settle16"]]) parse(...names);
  for (const names of [["withdraw", "settle16"], ["withdraw2", "deposit"], ["withdraw2"], ["withdraw"], []]) {
    assert.throws(() => parse(...names), /transcript is malformed: \/circuits/);
  }
  assert.throws(() => parse("withdraw2", "settle16", "deposit"), /transcript is malformed: \/circuits/);
});
