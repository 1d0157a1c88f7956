/** Between reads of the chain. A localnet closes blocks faster. */
export const POLL_INTERVALS_MS = { mainnet: 2000, testnet: 2000, localnet: 200 } as const;
