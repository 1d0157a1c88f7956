/** The plain module and the module with wide arithmetic give equal results on a committed key. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { honestWithdrawal } from "../../../testkit/circuits/circuit_inputs.ts";
import { createPieceProver, loadProverKernel } from "../../support/prover/prover_kernels.ts";
import { hasWideArithmetic } from "../../../src/core/crypto/wide_arithmetic.ts";
import {
  extractPublicSignals,
  signalsToBytes,
  verificationKeyToBytes,
} from "../../../src/prover/groth16_bytes.ts";
import { joinMsmShares, planMsmShares } from "../../../src/prover/msm_shares.ts";
import { computeWitness } from "../../../src/prover/witness.ts";

const artifact = (name: string) => readFileSync(new URL(`../../../artifacts/${name}`, import.meta.url));

Deno.test({
  name: "both builds of the prover create the same proof from the same randomness, and accept it",
  ignore: !hasWideArithmetic,
  async fn() {
    const witness = computeWitness(artifact("withdraw.wasm"), { ...honestWithdrawal(3n) });
    const vkey = verificationKeyToBytes(JSON.parse(artifact("withdraw.vkey.json").toString()));
    const signals = signalsToBytes(extractPublicSignals(witness, 6));
    const randomness = new Uint8Array(96).fill(0xff);
    const proofs = [];
    for (const [variant, workers] of [["plain", 1], ["wide", 4]] as const) {
      const kernels = await loadProverKernel(variant);
      const { Key, Verifier, assemble } = kernels;
      const sum = createPieceProver(kernels, artifact("withdraw.zkey"));
      const shares = planMsmShares(workers);
      const { a, b1, b2, c, h } = joinMsmShares(shares, shares.map((share) => sum(share, witness)));
      const joint = new Key(artifact("withdraw.zkey")).excerpt("joint");
      const proof = assemble(joint, a, b1, b2, c, h, randomness);
      const verifier = new Verifier(vkey);
      assert.equal(verifier.verify(proof, signals), true, variant);
      assert.equal(verifier.verify(proof, signals.with(31, signals[31] ^ 1)), false, variant);
      proofs.push(proof);
    }
    assert.deepEqual(proofs[0], proofs[1]);
  },
});
