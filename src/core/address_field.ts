/** Addresses as field elements: what a proof binds, and what the pool recomputes from the message's own addresses. */
import { sha256 } from "@noble/hashes/sha2.js";
import type { Address } from "@ton/core";
import { Problem } from "./errors.ts";
import { bytesToBigint } from "./field.ts";

/** Workchains are int8 in a standard address. */
const LEAST_WORKCHAIN = -128;
const GREATEST_WORKCHAIN = 127;

/**
 * sha256(workchain as int8 || 32-byte account id) >> 2: 254 bits, always below r, and the whole address is bound.
 * No address is 0.
 *
 * @throws {Problem} `invalid_address` for a workchain that no standard address can name
 */
export function addressToField(address: Address | null): bigint {
  if (address === null) return 0n;
  const { workChain } = address;
  if (!Number.isInteger(workChain) || workChain < LEAST_WORKCHAIN || workChain > GREATEST_WORKCHAIN) {
    throw new Problem("invalid_address", "address is in a workchain that does not exist");
  }
  const preimage = new Uint8Array(33);
  preimage[0] = workChain & 0xff;
  preimage.set(address.hash, 1);
  return bytesToBigint(sha256(preimage)) >> 2n;
}
