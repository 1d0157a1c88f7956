/** The networks this product knows. */

/** Every network, the live one first. */
export const networks = ["mainnet", "testnet", "localnet"] as const;

/** Name of a network. */
export type Network = (typeof networks)[number];

/** Whether `text` names a network. */
export function isNetwork(text: string): text is Network {
  return (networks as readonly string[]).includes(text);
}

/** Global id that wallets sign for, so that a transfer of one network is refused on another. */
export function networkGlobalId(network: Network): number {
  return network === "mainnet" ? -239 : -3;
}
