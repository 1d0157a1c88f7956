/** The relayer's wallet, with real code and a real key, for every process of a simulation. */
import { relayerKey, userKeys } from "../../src/localnet/development_keys.ts";
import type { Chain } from "../../src/ton/chain.ts";
import { deriveKeyPair } from "../../src/ton/wallet/mnemonic.ts";
import { openWallet, type Wallet, type WalletVersion } from "../../src/ton/wallet/wallet.ts";

export const MAX_REPLICAS = 3;

/** The relayer's wallet in one process. */
export interface OpenedWallet {
  readonly wallet: Wallet;
  readonly publicKey: Buffer;
  /** Connects the wallet to another chain. */
  readonly connect: (chain: Chain) => void;
}

/** Deriving keys takes half a second, so all seeds share the wallets and connect them to their own chains. */
const openedWallets = new Map<WalletVersion, Promise<OpenedWallet[]>>();

/** Returns a wallet per process, all with the same key. */
export function openWallets(version: WalletVersion): Promise<OpenedWallet[]> {
  const { mnemonic } = [relayerKey, ...userKeys].find((key) => key.version === version)!;
  const found = openedWallets.get(version) ??
    Promise.all(Array.from({ length: MAX_REPLICAS }, async () => {
      let current: Chain;
      const chain = new Proxy({} as Chain, { get: (_, name) => Reflect.get(current, name) });
      const wallet = await openWallet(mnemonic, { version, network: "testnet", chain });
      const { publicKey } = await deriveKeyPair(mnemonic);
      return { wallet, publicKey, connect: (to: Chain) => void (current = to) };
    }));
  openedWallets.set(version, found);
  return found;
}
