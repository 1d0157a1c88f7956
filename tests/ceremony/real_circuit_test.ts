/**
 * The ceremony on a real circuit. What everybody's test run takes: a contribution to the committed key, with which a real
 * proof is then made. What `deno task test:deep` takes: a whole ceremony on the withdrawal's circuit, which snarkjs
 * verifies from constraints and powers of tau.
 */
import assert from "node:assert/strict";
import { bytesToHex } from "@noble/hashes/utils.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { openArithmetic } from "../../src/ops/ceremony/arithmetic.ts";
import {
  beginCeremony,
  closeWithBeacon,
  contributeTo,
  verifyCeremony,
} from "../../src/ops/ceremony/ceremony.ts";
import { contribute, contributionSeeds } from "../../src/ops/ceremony/contribution.ts";
import { keyFile } from "../../src/ops/ceremony/folder.ts";
import { verificationKeyBytes } from "../../src/ops/ceremony/keys.ts";
import { inMemory } from "../../src/ops/ceremony/sections.ts";
import { parseZkey, writeZkey } from "../../src/ops/ceremony/zkey.ts";
import { type Artifacts, openArtifacts } from "../../src/prover/artifacts.ts";
import { createProver } from "../../src/prover/prover.ts";
import { compileCircuit } from "../../tools/circuits.ts";
import { closeSnarkjs, openSnarkjs } from "../../tools/snarkjs.ts";
import { knownPowers } from "../support/known_powers.ts";
import { isDeep } from "../support/property_runs.ts";
import { withdrawInput } from "../support/proof_inputs.ts";
import { memoryFolder, tinyR1cs } from "../support/tiny_ceremony.ts";

Deno.test("a real withdrawal is proved with a key after one more contribution, and only its own key verifies it", async () => {
  const committed = openArtifacts();
  const arithmetic = openArithmetic();
  const entropy = new TextEncoder().encode("any");
  const before = await parseZkey(await committed.load("withdraw.zkey"), "withdraw");
  const seed = contributionSeeds(["withdraw"], entropy).withdraw;
  const after = await contribute(before, seed, { name: "one more" }, arithmetic);
  arithmetic.close();
  assert.deepEqual(seed, new Uint8Array(32), "the seed is overwritten");
  const files: Record<string, Uint8Array<ArrayBuffer>> = {
    "withdraw.zkey": writeZkey(after),
    "withdraw.vkey.json": new Uint8Array(verificationKeyBytes(after)),
  };
  const artifacts: Artifacts = {
    ...committed,
    pin: (name) => name in files ? bytesToHex(sha256(files[name])) : committed.pin(name),
    load: async (name) => files[name] ?? await committed.load(name),
  };
  const [provers, old] = [await createProver({ artifacts, workers: 1 }), await createProver({ workers: 1 })];
  try {
    const { proof, publicSignals } = await provers.proveWithdraw(withdrawInput(7n));
    assert.equal(await provers.verify("withdraw", proof, publicSignals), true);
    assert.equal(await old.verify("withdraw", proof, publicSignals), false);
  } finally {
    provers.close();
    old.close();
  }
});

if (isDeep) {
  Deno.test("a ceremony on the withdrawal's circuit, verified by snarkjs", async () => {
    const lap = laps();
    const out = await Deno.makeTempDir({ prefix: "tonado-circuit-" });
    const { r1cs: withdraw } = await compileCircuit("withdraw", { out: new URL(`file://${out}/`) });
    await Deno.remove(out, { recursive: true });
    const ptau = knownPowers(13);
    lap("circuit and powers");
    const arithmetic = openArithmetic();
    try {
      const origin = { powers: inMemory(ptau), r1cs: { withdraw, deposit: tinyR1cs("deposit") } };
      const folder = memoryFolder();
      const step = { folder, arithmetic };
      await beginCeremony({ ...step, ...origin });
      lap("init");
      await contributeTo({ ...step, name: "Alice", entropy: new TextEncoder().encode("any") });
      lap("contribute");
      const beacon = { value: new Uint8Array(32).fill(3), exponent: 10 };
      await closeWithBeacon({ ...step, name: "beacon", beacon });
      lap("beacon");
      const checks = await verifyCeremony({ ...step, origin });
      assert.deepEqual(checks.filter(({ verdict }) => verdict !== "ok"), []);
      lap("verify");
      const snarkjs = await openSnarkjs();
      const [r1cs, powers, zkey] = [withdraw, ptau, folder.files.get(keyFile("withdraw", 2))!]
        .map((data) => ({ type: "mem" as const, data }));
      assert.equal(await snarkjs.zKey.verifyFromR1cs(r1cs, powers, zkey), true);
      await closeSnarkjs();
      lap("snarkjs verifies");
    } finally {
      arithmetic.close();
    }
  });
}

function laps(): (what: string) => void {
  let start = performance.now();
  return (what) => {
    console.log(`${what}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
    start = performance.now();
  };
}
