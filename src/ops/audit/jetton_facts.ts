import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { CallOptions, Chain } from "../../ton/chain.ts";
import {
  fetchJettonWalletAddress,
  fetchJettonWalletData,
  type JettonWalletData,
} from "../../ton/jetton/jetton.ts";
import type { PoolInfo } from "../../ton/pool/pool_getters.ts";

/** Absent where a getter failed. */
export interface JettonFacts {
  readonly expectedWallet?: Address; // the master's `get_wallet_address` for the pool
  readonly walletData?: JettonWalletData; // of the wallet that the pool trusts
  readonly fault?: string;
}

export async function readJettonFacts(
  chain: Chain,
  pool: Address,
  { jettonMaster, jettonWallet }: PoolInfo,
  options?: CallOptions,
): Promise<JettonFacts> {
  if (!jettonMaster) return { fault: "the pool names no master" };
  try {
    const expectedWallet = await fetchJettonWalletAddress(chain, jettonMaster, pool, options);
    if (!jettonWallet) return { expectedWallet };
    return { expectedWallet, walletData: await fetchJettonWalletData(chain, jettonWallet, options) };
  } catch (error) {
    if (!(error instanceof Problem) || error.code === "chain_unavailable" || error.code === "cancelled") {
      throw error;
    }
    return { fault: error.message };
  }
}
