/** Addresses as field elements, as circuits and pools encode them. */
import { sha256 } from "@noble/hashes/sha2.js";
import type { Address } from "@ton/core";
import { Problem } from "../../errors/problem.ts";
import { bytesToBigint } from "../../crypto/field.ts";

/**
 * Returns the highest 254 bits of the account id, always below r, as the pool does for a settlement's sender.
 * @example
 * ```ts
 * const settler = settlerToField(wallet.address);
 * ```
 */
export function settlerToField(address: Address): bigint {
  return bytesToBigint(address.hash) >> 2n;
}

const MIN_WORKCHAIN = -128;
const MAX_WORKCHAIN = 127;

/**
 * Returns the field element that a proof binds: sha256(workchain as int8 || account id) >> 2, always below r.
 * @param address null means no relayer and maps to 0, which no address does
 * @throws {Problem} `invalid_address` for a workchain outside int8
 * @example
 * ```ts
 * const signal = addressToField(Address.parse("EQ..."));
 * ```
 */
export function addressToField(address: Address | null): bigint {
  if (address === null) return 0n;
  const { workChain } = address;
  if (!Number.isInteger(workChain) || workChain < MIN_WORKCHAIN || workChain > MAX_WORKCHAIN) {
    throw new Problem("invalid_address", "address is in a workchain that does not exist");
  }
  const preimage = new Uint8Array(33);
  preimage[0] = workChain & 0xff;
  preimage.set(address.hash, 1);
  return bytesToBigint(sha256(preimage)) >> 2n;
}
