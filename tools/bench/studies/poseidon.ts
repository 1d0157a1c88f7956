/**
 * Compares Poseidon of two inputs with npm `poseidon-bls12381` and circomlibjs' WebAssembly, in batches and singly.
 */
import assert from "node:assert/strict";
import { poseidon2 } from "poseidon-bls12381";
import {
  bytesToBigint,
  FIELD_BYTES,
  FIELD_MODULUS,
  writeFieldBytes,
} from "../../../src/core/crypto/field.ts";
import { hashPairs, poseidon } from "../../../src/core/crypto/poseidon.ts";
import { openNodePeer } from "../peers/node_peer.ts";
import { comparisonStudy } from "../study.ts";

const PAIRS = 4096;
const FEW = 256;

export const poseidonStudy = comparisonStudy({
  id: "poseidon",
  title: "Poseidon of two inputs",
  about:
    "State of three elements (t = 3), S-box x^5. circomlibjs runs on Node and hashes over another field, BN254.",
  operation: "hash",
  rounds: 7,
  targets: { "npm poseidon-bls12381": { plain: 11, wide: 17 } },
  async open(resources) {
    const inputs = Array.from({ length: 2 * PAIRS }, (_, i) => FIELD_MODULUS / BigInt(i + 2));
    const bytes = new Uint8Array(inputs.length * FIELD_BYTES);
    inputs.forEach((x, i) => writeFieldBytes(x, bytes, i * FIELD_BYTES));
    assert.equal(bytesToBigint(hashPairs(bytes).subarray(0, FIELD_BYTES)), poseidon2(inputs.slice(0, 2)));
    const few = (hash: (pair: bigint[]) => bigint) => () => {
      for (let i = 0; i < FEW; i++) hash([inputs[2 * i], inputs[2 * i + 1]]);
    };
    const node = resources.use(await openNodePeer());
    return [
      { name: `ours, ${PAIRS} in a call`, operations: PAIRS, run: () => hashPairs(bytes) },
      { name: "ours, one in a call", operations: FEW, run: few(poseidon) },
      { name: "npm poseidon-bls12381", operations: FEW, run: few(poseidon2) },
      {
        name: "circomlibjs WASM, BN254",
        operations: PAIRS,
        run: () => node.request("poseidon", { count: PAIRS }),
      },
    ];
  },
});
