/** Poseidon of two inputs against npm `poseidon-bls12381`, in batches and one at a time. */
import assert from "node:assert/strict";
import { poseidon2 } from "poseidon-bls12381";
import { bytesToBigint, FIELD_BYTES, FIELD_MODULUS, writeBytes } from "../../src/core/field.ts";
import { hashPairs, poseidon } from "../../src/core/poseidon.ts";
import type { Section } from "./section.ts";

const PAIRS = 4096;
const FEW = 256;

export const poseidonSection: Section = {
  title: "Poseidon of two inputs",
  operation: "hash",
  rounds: 7,
  open() {
    const inputs = Array.from({ length: 2 * PAIRS }, (_, i) => FIELD_MODULUS / BigInt(i + 2));
    const bytes = new Uint8Array(inputs.length * FIELD_BYTES);
    inputs.forEach((x, i) => writeBytes(x, bytes, i * FIELD_BYTES));
    assert.equal(bytesToBigint(hashPairs(bytes).subarray(0, FIELD_BYTES)), poseidon2(inputs.slice(0, 2)));
    const few = (hash: (pair: bigint[]) => bigint) => () => {
      for (let i = 0; i < FEW; i++) hash([inputs[2 * i], inputs[2 * i + 1]]);
    };
    return [
      { name: `ours, ${PAIRS} in a call`, operations: PAIRS, run: () => hashPairs(bytes) },
      { name: "ours, one in a call", operations: FEW, run: few(poseidon) },
      { name: "npm poseidon-bls12381", operations: FEW, run: few(poseidon2) },
    ];
  },
};
