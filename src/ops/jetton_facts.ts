/** What the jetton's own contracts say of a pool: which wallet is its own, and what lies in it. */
import type { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";
import type { CallOptions, Chain } from "../ton/chain.ts";
import { jettonWalletAddress, type JettonWalletData, jettonWalletData } from "../ton/jetton.ts";
import type { PoolInfo } from "../ton/pool.ts";

/** Answers of a jetton; absent where there is none. */
export interface JettonFacts {
  /** The wallet that `get_wallet_address` gives the pool. */
  readonly given?: Address;
  /** Data of the wallet that the pool listens to. */
  readonly wallet?: JettonWalletData;
  /** Why an answer is missing. */
  readonly fault?: string;
}

/** Asks the master and the wallet of `pool`. */
export async function jettonFacts(
  chain: Chain,
  pool: Address,
  { jettonMaster, jettonWallet }: PoolInfo,
  options?: CallOptions,
): Promise<JettonFacts> {
  if (!jettonMaster) return { fault: "it names no master" };
  try {
    const given = await jettonWalletAddress(chain, jettonMaster, pool, options);
    const wallet = jettonWallet ? await jettonWalletData(chain, jettonWallet, options) : undefined;
    return { given, ...wallet ? { wallet } : {} };
  } catch (error) {
    if (!(error instanceof Problem) || error.code === "chain_unavailable" || error.code === "cancelled") {
      throw error;
    }
    return { fault: error.message };
  }
}
