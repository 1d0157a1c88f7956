/** Addresses as text. */
import type { Address } from "@ton/core";
import type { Network } from "../protocol/network.ts";

/** Returns the bounceable form, with the test mark except on mainnet; the raw form without a network. */
export function formatAddress(address: Address, network: Network | undefined): string {
  return network === undefined
    ? address.toRawString()
    : address.toString({ testOnly: network !== "mainnet" });
}
