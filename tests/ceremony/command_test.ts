/** The commands of `tonado ceremony` in order on one folder, from the powers of tau to the keys of a build. */
import assert from "node:assert/strict";
import { Cell } from "@ton/core";
import { circuitsOfVersion, combinedVkeyHash } from "../../src/core/crypto/groth16.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { CeremonyPlan } from "../../src/ops/ceremony/ceremony_plan.ts";
import {
  keyEntries,
  parseTranscript,
  transcriptBytes,
} from "../../src/ops/ceremony/transcript/transcript.ts";
import { parseZkey, serializeZkey } from "../../src/ops/ceremony/zkey.ts";
import { hashCanonicalJson } from "../support/ceremony/ceremony_fixture.ts";
import { checkPinnedKeys } from "../../src/ops/keys/pinned_keys.ts";
import { checkPoolKeys } from "../../src/ops/keys/pool_keys.ts";
import { type ArtifactPins, openArtifacts } from "../../src/prover/artifacts.ts";
import { compileTolk } from "../../testkit/toolchain/tolk.ts";
import { runCli } from "../support/cli/run_cli.ts";
import { insecurePowersOfTau } from "../../src/ops/ceremony/rehearsal/insecure_powers.ts";
import { TINY_POWER, tinyR1cs } from "../../src/ops/ceremony/rehearsal/tiny_circuits.ts";
import { omit } from "../../src/core/omit.ts";

/** Writes powers of tau and constraint systems, and returns a function that runs a command on one folder. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "tonado-ceremony-" });
  const at = (name: string) => `${folder}/${name}`;
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  await Deno.writeFile(at("powers.ptau"), insecurePowersOfTau(TINY_POWER));
  for (const circuit of circuitsOfVersion[1]) await Deno.writeFile(at(`${circuit}.r1cs`), tinyR1cs(circuit));
  const origin = ["--powers", at("powers.ptau"), "--circuits", folder];
  const ceremony = async (args: string[], secrets?: string[]) => {
    const [command, ...rest] = args;
    return await runCli(["ceremony", command, at("c"), ...rest], {}, { secrets });
  };
  const state: { plan?: CeremonyPlan } = {};
  const open = stack.move();
  return { ceremony, origin, at, state, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado ceremony, from powers of tau to the keys of a build", async (t) => {
  await using scene = await openScene();
  await begins(t, scene);
  await t.step(
    "contribute asks for entropy or reads a file, and exits with 2 without either",
    () => contributes(scene),
  );
  await t.step("finalize needs the beacon, and verify does not", () => verifiesOpenCeremony(scene));
  await t.step("an interrupted step is reported and changes nothing", () => reportsInterruption(scene));
  await closesAndVerifies(t, scene);
  await t.step(
    "finalize writes keys for a checkout, and a pool compiled with them has the pinned keys",
    () => finalizes(scene),
  );
  await refusesForeignKeys(t, scene);
  await t.step("export writes the current keys", () => exportsKeys(scene));
});

async function begins(t: Deno.TestContext, { ceremony, origin, at, state }: Scene): Promise<void> {
  await t.step("init reports the powers and circuits, and refuses a second start", async () => {
    const { code, stdout, stderr } = await ceremony(["init", ...origin, "--json"]);
    assert.equal(code, 0, stderr);
    const { powers, circuits } = JSON.parse(stdout);
    assert.deepEqual([powers.power, circuits.withdraw.constraints, circuits.deposit.constraints], [4, 9, 3]);
    const notices = stderr.trim().split("\n").map((line) => JSON.parse(line).notice);
    assert.equal(notices[0], "checking the powers of tau");
    assert.ok(notices.includes("making the key of deposit"));
    const again = await ceremony(["init", ...origin]);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /has already begun in this folder/);
  });

  await t.step("announce names the beacon, and keygen makes keys that the plan names", async () => {
    const { code, stdout, stderr } = await ceremony([
      ...["announce", "--source", "a public clock", "--round", "7", "--exponent", "10"],
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^announcement 1: a public clock, round 7, 2\^10 iterations\n/);
    const contributors = [];
    for (const name of ["Alice", "Bob", "Carol"]) {
      const { stdout } = await runCli(["ceremony", "keygen", at(`${name}.pem`), "--quiet"]);
      contributors.push({ name, publicKey: stdout.trim(), ...name === "Alice" && { coordinator: true } });
    }
    const hash = async (circuit: string) =>
      bytesToHex(sha256(await Deno.readFile(at(`c/${circuit}.0.zkey`))));
    state.plan = {
      initialKeys: { withdraw: await hash("withdraw"), deposit: await hash("deposit") },
      contributors,
    };
    await Deno.writeTextFile(at("plan.json"), JSON.stringify(state.plan));
  });
}

async function contributes({ ceremony, at }: Scene): Promise<void> {
  const alice = await ceremony(["contribute", "--name", "Alice", "--signing-key", at("Alice.pem")], [
    "typed at random",
  ]);
  assert.equal(alice.code, 0, alice.stderr);
  assert.match(alice.prompts.join(), /Type at random/);
  assert.match(alice.stdout, /^contribution 1 by Alice\n {2}withdraw [0-9a-f]{128}\n/);
  const none = await ceremony(["contribute", "--name", "Bob"]);
  assert.equal(none.code, 2);
  assert.match(none.stderr, /--entropy-file: is missing, and there is no terminal/);
  await Deno.writeTextFile(at("dice"), "6 2 5 1 3");
  const bob = await ceremony([
    "contribute",
    "--name",
    "Bob",
    "--entropy-file",
    at("dice"),
    "--quiet",
    "--signing-key",
    at("Bob.pem"),
  ]);
  assert.deepEqual([bob.code, bob.stdout, bob.stderr], [0, "", ""]);
  await Deno.copyFile(at("c/transcript.json"), at("kept.json"));
}

async function verifiesOpenCeremony({ ceremony, origin, at }: Scene): Promise<void> {
  const early = await ceremony(["finalize", ...origin, "--output", at("keys")]);
  assert.equal(early.code, 1);
  assert.match(early.stderr, /is open: close it with `tonado ceremony beacon`/);
  const { code, stdout, stderr } = await ceremony(["verify", "--json"]);
  assert.equal(code, 0, stderr);
  const { verified, checks } = JSON.parse(stdout);
  assert.equal(verified, true);
  assert.deepEqual(
    checks.filter(({ verdict }: { verdict: string }) => verdict !== "ok").map((
      { name }: { name: string },
    ) => name),
    ["contributors", "initial keys"],
  );
}

async function reportsInterruption({ at }: Scene): Promise<void> {
  const interrupt = new AbortController();
  await Deno.mkdir(at("slow"));
  for (const { name } of Deno.readDirSync(at("c"))) {
    if (!name.startsWith(".")) await Deno.copyFile(at(`c/${name}`), at(`slow/${name}`));
  }
  const slow = [
    ["announce", at("slow"), "--source", "a slow clock", "--round", "8", "--exponent", "30"],
    ["contribute", at("slow"), "--name", "Carol", "--entropy-file", at("dice")],
  ];
  for (const step of slow) assert.equal((await runCli(["ceremony", ...step])).code, 0);
  const beacon = ["ceremony", "beacon", at("slow"), "--value", "ab".repeat(32)];
  const { code, stdout, stderr } = await runCli(beacon, {}, {
    interruptSignal: interrupt.signal,
    onStderr: (text) => {
      if (text.includes("hashing the beacon")) interrupt.abort();
    },
  });
  assert.deepEqual([code, stdout], [130, ""], stderr);
  assert.match(stderr, /the step was interrupted; run it again/);
  assert.equal((await runCli(["ceremony", "verify", at("slow")])).code, 0);
}

async function closesAndVerifies(t: Deno.TestContext, { ceremony, at, origin, state }: Scene): Promise<void> {
  await t.step("the beacon closes the ceremony", async () => {
    const { code, stdout, stderr } = await ceremony([
      "beacon",
      "--value",
      "ab".repeat(32),
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^beacon 3\n/);
    state.plan = { ...state.plan!, beacon: { source: "a public clock", round: 7, value: "ab".repeat(32) } };
    await Deno.writeTextFile(at("plan.json"), JSON.stringify(state.plan));
    assert.deepEqual((await Array.fromAsync(Deno.readDir(at("c")))).map(({ name }) => name).sort(), [
      "deposit.0.zkey",
      "deposit.3.zkey",
      "transcript.json",
      "withdraw.0.zkey",
      "withdraw.3.zkey",
    ]);
  });

  await t.step(
    "verify passes with all evidence, and exits with 1 after a byte of a key changed",
    async () => {
      const whole = await ceremony([
        ...["verify", "--full", ...origin, "--since", at("kept.json")],
        ...["--plan", at("plan.json"), "--beacon-value", "ab".repeat(32)],
      ]);
      assert.equal(whole.code, 0, whole.stdout + whole.stderr);
      assert.equal(whole.stdout.match(/ ok /g)?.length, 12, whole.stdout);
      assert.match(whole.stdout, /note {3}contributors +2 contributions signed by contributors .*, 3 are/);
      const file = at("c/deposit.3.zkey");
      const bytes = await Deno.readFile(file);
      await Deno.writeFile(file, bytes.with(5000, bytes[5000] ^ 1));
      const spoilt = await ceremony(["verify"]);
      await Deno.writeFile(file, bytes);
      assert.equal(spoilt.code, 1);
      assert.match(spoilt.stdout, /FAILED files/);
      assert.match(
        spoilt.stderr,
        /Ceremony does not verify \[invalid_ceremony\]\n {2}files: deposit.3.zkey does not/,
      );
    },
  );
}

async function finalizes({ origin, at, ceremony, state }: Scene): Promise<void> {
  const args = ["finalize", ...origin, "--output", at("keys"), "--plan", at("plan.json"), "--json"];
  const few = await ceremony(args);
  assert.equal(few.code, 1);
  assert.match(few.stderr, /has too few contributors/);
  const { code, stdout, stderr } = await ceremony([...args, "--few-contributors"]);
  assert.equal(code, 0, stderr);
  const base = new URL(`file://${at("keys/artifacts/")}`);
  const pins: ArtifactPins = JSON.parse(await Deno.readTextFile(new URL("pins.json", base)));
  assert.equal(
    pins.label,
    "weak ceremony keys, 2 contributions, 2 signed by named contributors, and a beacon",
  );
  const artifacts = openArtifacts(base, pins);
  assert.equal(keyEntries(await checkPinnedKeys(artifacts, 1, state.plan!)).length, 3);

  const verifiers = Object.fromEntries(
    await Promise.all(circuitsOfVersion[1].map(async (circuit) => {
      const path = `contracts/v1/generated/verifier_${circuit}.tolk`;
      return [path, await Deno.readTextFile(at(`keys/${path}`))];
    })),
  );
  const hashOf = (circuit: "withdraw" | "deposit") => pins.files[`${circuit}.vkey.json`];
  const vkeyHash = combinedVkeyHash({ withdraw: hashOf("withdraw"), deposit: hashOf("deposit") });
  assert.equal(JSON.parse(stdout).vkeyHash, vkeyHash);
  const pool = Cell.fromBase64(await compileTolk("contracts/v1/pool_native.tolk", verifiers));
  const compiled = { code: pool, codeHash: pool.hash().toString("hex"), vkeyHash, version: 1 } as const;
  assert.deepEqual(await checkPoolKeys(artifacts, compiled), {
    label: pins.label,
    development: false,
    weak: true,
  });
}

async function refusesForeignKeys(t: Deno.TestContext, { at, state }: Scene): Promise<void> {
  await t.step("keys that are not in the transcript are refused", async () => {
    const base = new URL(`file://${at("keys/artifacts/")}`);
    const pins: ArtifactPins = JSON.parse(await Deno.readTextFile(new URL("pins.json", base)));
    const bare = omit(pins, "transcript");
    await assert.rejects(
      checkPinnedKeys(openArtifacts(base, bare), 1, state.plan!),
      /have no transcript of a ceremony/,
    );
    const other = { ...pins, files: { ...pins.files, "deposit.zkey": pins.files["withdraw.zkey"] } };
    await assert.rejects(
      checkPinnedKeys(openArtifacts(base, other), 1, state.plan!),
      /deposit.zkey does not match its pin/,
    );
    await Deno.writeFile(new URL("transcript.json", base), await Deno.readFile(at("kept.json")));
    await assert.rejects(
      checkPinnedKeys(openArtifacts(base, pins), 1, state.plan!),
      /transcript.json does not match its pin/,
    );
  });

  await t.step("a final key that does not descend from the ceremony is refused", async () => {
    const base = new URL(`file://${at("keys/artifacts/")}`);
    const pins: ArtifactPins = JSON.parse(await Deno.readTextFile(new URL("pins.json", base)));
    const key = await parseZkey(await Deno.readFile(at("c/withdraw.3.zkey")), "withdraw");
    const sections = { ...key.sections, IC: key.sections.IC.slice().fill(0, 0, 96) };
    const file = serializeZkey({ ...key, alpha1: key.beta1, sections });
    const hash = bytesToHex(sha256(file));
    const transcript = parseTranscript(await Deno.readFile(at("c/transcript.json")));
    const last = keyEntries(transcript)[2];
    last.keys.withdraw.zkey = hash;
    last.hash = hashCanonicalJson(omit(last, "hash"));
    const text = transcriptBytes(transcript);
    await Deno.writeFile(new URL("transcript.json", base), text);
    await Deno.writeFile(new URL("withdraw.zkey", base), file);
    const swapped = openArtifacts(base, {
      ...pins,
      files: { ...pins.files, "withdraw.zkey": hash },
      transcript: bytesToHex(sha256(text)),
    });
    await assert.rejects(checkPinnedKeys(swapped, 1, state.plan!), /another alpha1 than the initial one/);
    await Deno.copyFile(at("c/withdraw.3.zkey"), at("keys/artifacts/withdraw.zkey"));
  });
}

async function exportsKeys({ ceremony, at }: Scene): Promise<void> {
  const { code, stdout } = await ceremony(["export", "--output", at("exported")]);
  assert.deepEqual([code, stdout], [0, `keys after 3 contributions in ${at("exported")}\n`]);
  for (const name of ["withdraw.zkey", "withdraw.vkey.json", "deposit.zkey", "deposit.vkey.json"]) {
    assert.deepEqual(
      await Deno.readFile(at(`exported/${name}`)),
      await Deno.readFile(at(`keys/artifacts/${name}`)),
    );
  }
}
