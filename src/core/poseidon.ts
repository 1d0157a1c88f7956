/**
 * Poseidon over the scalar field of BLS12-381: alpha 5, 8 full and 56 partial rounds, capacity element 0 first, digest
 * element 0 (the parameters of npm `poseidon-bls12381` 1.0.2). The arithmetic is in `poseidon-wasm/`; this owns its one
 * instance, loaded on import without I/O, and the rule that only canonical elements are hashed.
 */
import { hash_level, initSync, poseidon1, poseidon2 } from "../../poseidon-wasm/pkg/poseidon_wasm.js";
import { wasmBytes } from "../../poseidon-wasm/pkg/poseidon_wasm_bytes.ts";
import { wasmBytes as wideWasmBytes } from "../../poseidon-wasm/pkg/poseidon_wasm_wide_bytes.ts";
import { Problem } from "./errors.ts";
import { bytesToBigint, FIELD_BYTES, FIELD_MODULUS, toBytes, writeBytes } from "./field.ts";
import { hasWideArithmetic } from "./wide_arithmetic.ts";

initSync({ module: hasWideArithmetic ? wideWasmBytes() : wasmBytes() });

/**
 * Hashes one or two field elements.
 *
 * @throws {Problem} `not_in_field` unless each is in [0, r); RangeError for another number of inputs.
 */
export function poseidon(inputs: readonly bigint[]): bigint {
  if (inputs.length !== 1 && inputs.length !== 2) {
    throw new RangeError(`poseidon takes 1 or 2 inputs, not ${inputs.length}`);
  }
  const bytes = new Uint8Array(inputs.length * FIELD_BYTES);
  for (const [i, x] of inputs.entries()) writeBytes(x, bytes, i * FIELD_BYTES);
  return bytesToBigint(inputs.length === 1 ? poseidon1(bytes) : poseidon2(bytes));
}

/**
 * Hashes n pairs in one call of the module: n * 64 bytes to n * 32 bytes. Elements are 32 big-endian bytes.
 *
 * @throws {Problem} `not_in_field` unless each is in [0, r); RangeError for a length that is not n * 64.
 */
export function hashPairs(pairs: Uint8Array): Uint8Array {
  if (pairs.length % (2 * FIELD_BYTES) !== 0) throw new RangeError("hashPairs takes n * 64 bytes");
  assertElements(pairs);
  return poseidon2(pairs);
}

/**
 * Hashes a level of a tree into the level above it, in one call of the module: n elements to half as many, rounded up.
 * `zero` is the empty subtree to the right of the last node of an odd level.
 *
 * @throws {Problem} `not_in_field` unless each is in [0, r); RangeError for a length that is not n * 32.
 */
export function hashLevel(nodes: Uint8Array, zero: Uint8Array): Uint8Array {
  assertElements(nodes);
  assertElements(zero);
  if (zero.length !== FIELD_BYTES) throw new RangeError("zero is one element");
  return hash_level(nodes, zero);
}

const MODULUS = modulusBytes();

/** Throws unless `bytes` are canonical elements one after another. Nearly always decided by the first byte of each. */
export function assertElements(bytes: Uint8Array): void {
  if (bytes.length % FIELD_BYTES !== 0) throw new RangeError("elements are 32 bytes each");
  for (let start = 0; start < bytes.length; start += FIELD_BYTES) {
    let i = 0;
    while (i < FIELD_BYTES && bytes[start + i] === MODULUS[i]) i++;
    if (i === FIELD_BYTES || bytes[start + i] > MODULUS[i]) {
      throw new Problem("not_in_field", `element ${start / FIELD_BYTES} is not in [0, r)`);
    }
  }
}

function modulusBytes(): Uint8Array {
  const bytes = toBytes(FIELD_MODULUS - 1n);
  bytes[FIELD_BYTES - 1]++; // r is odd: no carry
  return bytes;
}
