/** The recipient that the user types. */
import { Address } from "@ton/core";
import { Problem } from "../../../core/errors/problem.ts";
import type { Network } from "../../../core/protocol/network.ts";

/** Throws `invalid_address` for text that is not an address, or for a test network's address on mainnet. */
export function parseRecipient(text: string, network: Network): Address {
  try {
    if (!Address.isFriendly(text)) return Address.parse(text);
    const { address, isTestOnly } = Address.parseFriendly(text);
    if (isTestOnly && network === "mainnet") throw new Problem("invalid_address", "it is of a test network");
    return address;
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem("invalid_address", "the text is not a TON address");
  }
}
