/** The supported networks. */
export const networks = ["mainnet", "testnet", "localnet"] as const;

/** The name of a network. */
export type Network = (typeof networks)[number];

export function isNetwork(text: string): text is Network {
  return (networks as readonly string[]).includes(text);
}

/** The global id that wallets sign, so that another network rejects the transfer. */
export function networkGlobalId(network: Network): number {
  return network === "mainnet" ? -239 : -3;
}
