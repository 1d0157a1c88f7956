/** Addresses as people compare them: in the form of the network that they are of. */
import type { Address } from "@ton/core";
import type { Network } from "../core/network.ts";

/** Bounceable, and marked as a test network's off mainnet. */
export function shownAddress(address: Address, network: Network): string {
  return address.toString({ testOnly: network !== "mainnet" });
}
