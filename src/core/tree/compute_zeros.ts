/** Computes the roots of empty subtrees, from which `zeros.ts` is generated. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { bytesToBigint, FIELD_MODULUS } from "../crypto/field.ts";
import { poseidon } from "../crypto/poseidon.ts";

/** Returns the roots of heights 0 to `height`. The first is keccak256(seed) mod r: no preimage is known. */
export function computeZeros(seed: string, height: number): bigint[] {
  const hashes = [bytesToBigint(keccak_256(utf8ToBytes(seed))) % FIELD_MODULUS];
  while (hashes.length <= height) hashes.push(poseidon([hashes.at(-1)!, hashes.at(-1)!]));
  return hashes;
}
