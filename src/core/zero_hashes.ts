/** The roots of empty subtrees, made from their seed: what the committed tables are generated from and audited against. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { bytesToBigint, FIELD_MODULUS } from "./field.ts";
import { poseidon } from "./poseidon.ts";

/**
 * Of heights 0 to `height`: keccak256(seed) mod r, of which nobody knows a preimage under Poseidon, then each the Poseidon
 * hash of twice the one before.
 */
export function zeroHashes(seed: string, height: number): bigint[] {
  const hashes = [bytesToBigint(keccak_256(utf8ToBytes(seed))) % FIELD_MODULUS];
  while (hashes.length <= height) hashes.push(poseidon([hashes.at(-1)!, hashes.at(-1)!]));
  return hashes;
}
