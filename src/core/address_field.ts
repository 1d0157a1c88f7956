/** Addresses as field elements: what a proof binds, and what the pool recomputes from the message's own addresses. */
import { sha256 } from "@noble/hashes/sha2.js";
import type { Address } from "@ton/core";
import { bytesToBigint } from "./field.ts";

/**
 * sha256(workchain as int8 || 32-byte account id) >> 2: 254 bits, always below r, and the whole address is bound.
 * No address is 0.
 */
export function addressToField(address: Address | null): bigint {
  if (address === null) return 0n;
  const preimage = new Uint8Array(33);
  preimage[0] = address.workChain & 0xff;
  preimage.set(address.hash, 1);
  return bytesToBigint(sha256(preimage)) >> 2n;
}
