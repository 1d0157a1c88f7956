/**
 * The ceremony on real circuits. Every run contributes to the committed key and makes a real proof with the
 * result. `deno task test:deep` also runs a whole ceremony on the circuit of withdrawals, and one on both
 * circuits of version 2; snarkjs verifies them from constraints and powers of tau.
 */
import assert from "node:assert/strict";
import { bytesToHex } from "@noble/hashes/utils.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { circuitsOf } from "../../src/core/crypto/groth16.ts";
import { openArithmeticPool } from "../../src/ops/ceremony/arithmetic/pool.ts";
import {
  announceBeacon,
  beginCeremony,
  closeWithBeacon,
  contributeToCeremony,
} from "../../src/ops/ceremony/ceremony.ts";
import { verifyCeremony } from "../../src/ops/ceremony/verify_ceremony.ts";
import { contribute, contributionSeeds } from "../../src/ops/ceremony/contribution.ts";
import { forEachCircuit, keyFileName, loadCeremony } from "../../src/ops/ceremony/ceremony_folder.ts";
import { verificationKeyBytes } from "../../src/ops/keys/key_export.ts";
import { memorySource } from "../../src/ops/ceremony/section_file.ts";
import { parseZkey, serializeZkey } from "../../src/ops/ceremony/zkey.ts";
import { type Artifacts, openArtifacts } from "../../src/prover/artifacts.ts";
import { createProver } from "../../src/prover/prover.ts";
import { compileCircuit } from "../../testkit/toolchain/circom.ts";
import { closeSnarkjs, openSnarkjs } from "../../testkit/toolchain/snarkjs.ts";
import { insecurePowersOfTau } from "../../src/ops/ceremony/rehearsal/insecure_powers.ts";
import { isDeep } from "../../testkit/random/property_runs.ts";
import { withdrawProverInput } from "../../testkit/circuits/prover_inputs.ts";
import { announcement, beacon, emptyPlan } from "../support/ceremony/ceremony_fixture.ts";
import { memoryFolder } from "../../src/ops/ceremony/rehearsal/memory_folder.ts";
import { tinyR1cs } from "../../src/ops/ceremony/rehearsal/tiny_circuits.ts";

Deno.test("a real withdrawal is proved with a key after one more contribution, and only its own key verifies it", async () => {
  const committed = openArtifacts();
  const arithmetic = openArithmeticPool();
  const entropy = new TextEncoder().encode("any");
  const before = await parseZkey(await committed.load("withdraw.zkey"), "withdraw");
  const seed = contributionSeeds(["withdraw"], entropy).withdraw;
  const after = await contribute(before, seed, { name: "one more" }, arithmetic);
  arithmetic.close();
  assert.deepEqual(seed, new Uint8Array(32), "the seed is overwritten");
  const files: Record<string, Uint8Array<ArrayBuffer>> = {
    "withdraw.zkey": serializeZkey(after),
    "withdraw.vkey.json": new Uint8Array(verificationKeyBytes(after)),
  };
  const artifacts: Artifacts = {
    ...committed,
    expectedSha256: (name) =>
      name in files ? bytesToHex(sha256(files[name])) : committed.expectedSha256(name),
    load: async (name) => files[name] ?? await committed.load(name),
  };
  const [provers, old] = [
    await createProver({ artifacts, maxWorkers: 1 }),
    await createProver({ maxWorkers: 1 }),
  ];
  try {
    const { proof, publicSignals } = await provers.proveWithdraw(withdrawProverInput(7n));
    assert.equal(await provers.verify("withdraw", proof, publicSignals), true);
    assert.equal(await old.verify("withdraw", proof, publicSignals), false);
  } finally {
    provers.close();
    old.close();
  }
});

if (isDeep) {
  Deno.test("a ceremony on the withdrawal's circuit, verified by snarkjs", () =>
    runWholeCeremony(13, { withdraw: "real", deposit: "tiny" }));
  Deno.test("a ceremony on both circuits of version 2, verified by snarkjs", () =>
    runWholeCeremony(14, { withdraw2: "real", settle16: "real" }));
}

async function runWholeCeremony(power: number, circuits: Record<string, "real" | "tiny">): Promise<void> {
  const lap = laps();
  const names = circuitsOf(circuits);
  const r1cs = await forEachCircuit(
    names,
    async (name) => circuits[name] === "real" ? (await compileCircuit(name)).r1cs : tinyR1cs(name),
  );
  const ptau = insecurePowersOfTau(power);
  lap("circuits and powers");
  const arithmetic = openArithmeticPool();
  try {
    const origin = { powers: memorySource(ptau), r1cs };
    const folder = memoryFolder();
    const step = { folder, arithmetic };
    await beginCeremony({ ...step, ...origin });
    lap("init");
    await announceBeacon({ ...step, announcement });
    await contributeToCeremony({ ...step, name: "Alice", entropy: new TextEncoder().encode("any") });
    lap("contribute");
    await closeWithBeacon({ ...step, ...beacon });
    lap("beacon");
    const ceremony = await loadCeremony(folder);
    const checks = await verifyCeremony({ ...step, ceremony, plan: emptyPlan, inputs: origin });
    assert.deepEqual(checks.filter(({ verdict }) => verdict === "failed"), []);
    lap("verify");
    const snarkjs = await openSnarkjs();
    for (const name of names.filter((name) => circuits[name] === "real")) {
      const [system, powers, zkey] = [r1cs[name], ptau, folder.files.get(keyFileName(name, 2))!]
        .map((data) => ({ type: "mem" as const, data }));
      assert.equal(await snarkjs.zKey.verifyFromR1cs(system, powers, zkey), true);
      lap(`snarkjs verifies ${name}`);
    }
    await closeSnarkjs();
  } finally {
    arithmetic.close();
  }
}

function laps(): (what: string) => void {
  let start = performance.now();
  return (what) => {
    console.log(`${what}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
    start = performance.now();
  };
}
