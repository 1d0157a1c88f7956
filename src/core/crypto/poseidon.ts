/**
 * Poseidon with the parameters of npm `poseidon-bls12381` 1.0.2: alpha 5, 8 full and 56 partial rounds, capacity
 * element first.
 */
import { hash_level, initSync, poseidon1, poseidon2 } from "../../../poseidon-wasm/pkg/poseidon_wasm.js";
import { wasmBytes } from "../../../poseidon-wasm/pkg/poseidon_wasm_bytes.ts";
import { wasmBytes as wideWasmBytes } from "../../../poseidon-wasm/pkg/poseidon_wasm_wide_bytes.ts";
import { Problem } from "../errors/problem.ts";
import { bytesToBigint, FIELD_BYTES, FIELD_MODULUS, fieldToBytes, writeFieldBytes } from "./field.ts";
import { hasWideArithmetic } from "./wide_arithmetic.ts";

initSync({ module: hasWideArithmetic ? wideWasmBytes() : wasmBytes() });

/**
 * Returns the Poseidon hash of one or two field elements.
 * @throws {Problem} `not_in_field` for an input outside [0, r), a RangeError for any other number of inputs
 * @example
 * ```ts
 * const commitment = poseidon([nullifier, secret]);
 * ```
 */
export function poseidon(inputs: readonly bigint[]): bigint {
  if (inputs.length !== 1 && inputs.length !== 2) {
    throw new RangeError(`poseidon takes 1 or 2 inputs, not ${inputs.length}`);
  }
  const bytes = new Uint8Array(inputs.length * FIELD_BYTES);
  for (const [i, x] of inputs.entries()) writeFieldBytes(x, bytes, i * FIELD_BYTES);
  return bytesToBigint(inputs.length === 1 ? poseidon1(bytes) : poseidon2(bytes));
}

export function hashPairs(pairs: Uint8Array): Uint8Array {
  if (pairs.length % (2 * FIELD_BYTES) !== 0) throw new RangeError("hashPairs takes n * 64 bytes");
  assertCanonicalElements(pairs);
  return poseidon2(pairs);
}

/** Hashes a level of n elements into ceil(n / 2) in one WASM call; `zero` completes an odd level. */
export function hashLevel(nodes: Uint8Array, zero: Uint8Array): Uint8Array {
  assertCanonicalElements(nodes);
  assertCanonicalElements(zero);
  if (zero.length !== FIELD_BYTES) throw new RangeError("zero is one element");
  return hash_level(nodes, zero);
}

const MODULUS_BYTES = fieldToBytes(FIELD_MODULUS - 1n);
MODULUS_BYTES[FIELD_BYTES - 1]++; // r is odd: no carry

export function assertCanonicalElements(bytes: Uint8Array): void {
  if (bytes.length % FIELD_BYTES !== 0) throw new RangeError("elements are 32 bytes each");
  for (let start = 0; start < bytes.length; start += FIELD_BYTES) {
    let i = 0;
    while (i < FIELD_BYTES && bytes[start + i] === MODULUS_BYTES[i]) i++;
    if (i === FIELD_BYTES || bytes[start + i] > MODULUS_BYTES[i]) {
      throw new Problem("not_in_field", `element ${start / FIELD_BYTES} is not in [0, r)`);
    }
  }
}
