/** The plain module and the one with wide arithmetic, side by side on a committed key. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { honestWithdrawal } from "../../support/circuit_inputs.ts";
import { proverKernels, summing } from "../../support/prover_kernels.ts";
import { wasmBytes } from "../../../prover-wasm/pkg/prover_wasm_bytes.ts";
import { wasmBytes as wideWasmBytes } from "../../../prover-wasm/pkg/prover_wasm_wide_bytes.ts";
import { hasWideArithmetic } from "../../../src/core/wide_arithmetic.ts";
import {
  signalsOfWitness,
  signalsToBytes,
  verificationKeyToBytes,
} from "../../../src/prover/groth16_bytes.ts";
import { joined, spread } from "../../../src/prover/proof_shares.ts";
import { computeWitness } from "../../../src/prover/witness.ts";

const artifact = (name: string) => readFileSync(new URL(`../../../artifacts/${name}`, import.meta.url));

Deno.test({
  name: "both builds of the prover make the same proof of the same randomness, and accept it",
  ignore: !hasWideArithmetic,
  async fn() {
    const witness = computeWitness(artifact("withdraw.wasm"), { ...honestWithdrawal(3n) });
    const vkey = verificationKeyToBytes(JSON.parse(artifact("withdraw.vkey.json").toString()));
    const signals = signalsToBytes(signalsOfWitness(witness, 6));
    const randomness = new Uint8Array(96).fill(0xff);
    const proofs = [];
    for (const [variant, workers] of [["plain", 1], ["wide", 4]] as const) {
      const kernels = await proverKernels(variant);
      const { Key, Verifier, assemble } = kernels;
      const sum = summing(kernels, artifact("withdraw.zkey"));
      const shares = spread(workers);
      const { a, b1, b2, c, h } = joined(shares, shares.map((share) => sum(share, witness)));
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

Deno.test("the embedded bytes are the committed modules", () => {
  for (const [variant, bytes] of [["", wasmBytes()], ["_wide", wideWasmBytes()]] as const) {
    const file = new URL(`../../../prover-wasm/pkg/prover_wasm${variant}_bg.wasm`, import.meta.url);
    assert.deepEqual(bytes, new Uint8Array(readFileSync(file)));
  }
});
