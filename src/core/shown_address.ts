/** Addresses as people compare them: in the form of the network that they are of. */
import type { Address } from "@ton/core";
import type { Network } from "./network.ts";

/** Bounceable, and marked as a test network's off mainnet; raw where the network is not known, for that form has no mark. */
export function shownAddress(address: Address, network: Network | undefined): string {
  return network === undefined
    ? address.toRawString()
    : address.toString({ testOnly: network !== "mainnet" });
}
