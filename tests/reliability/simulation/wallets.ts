/** The relayer's wallet, real code and a real key, once for every process of a simulation. */
import { relayerKey, userKeys } from "../../../src/localnet/development_keys.ts";
import type { Chain } from "../../../src/ton/chain.ts";
import { openMnemonic } from "../../../src/ton/mnemonic.ts";
import { openWallet, type Wallet, type WalletVersion } from "../../../src/ton/wallet.ts";

/** Processes at most. */
export const MOST_REPLICAS = 3;

/** The relayer's wallet as one process has it. */
export interface OpenedWallet {
  readonly wallet: Wallet;
  readonly publicKey: Buffer;
  /** Makes it ask another chain from now on. */
  readonly connect: (chain: Chain) => void;
}

/** Keys take half a second to derive: once for all seeds, each wallet over whatever chain it is connected to. */
const opened = new Map<WalletVersion, Promise<OpenedWallet[]>>();

/** One a process, all of the same key. */
export function walletsOf(version: WalletVersion): Promise<OpenedWallet[]> {
  const { mnemonic } = [relayerKey, ...userKeys].find((key) => key.version === version)!;
  const found = opened.get(version) ??
    Promise.all(Array.from({ length: MOST_REPLICAS }, async () => {
      let current: Chain;
      const chain = new Proxy({} as Chain, { get: (_, name) => Reflect.get(current, name) });
      const wallet = await openWallet(mnemonic, { version, network: "testnet", chain });
      const { publicKey } = await openMnemonic(mnemonic);
      return { wallet, publicKey, connect: (to: Chain) => void (current = to) };
    }));
  opened.set(version, found);
  return found;
}
