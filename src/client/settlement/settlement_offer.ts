/** What the next settlement of a version 2 pool costs and earns the wallet that sends it. Amounts in nano. */
import { fetchNetworkPrices } from "../../ton/network_prices.ts";
import { estimateSettlementCost } from "../../ton/pool/v2/settlement_cost.ts";
import type { V2Pool } from "../../ton/pool/v2/pool.ts";
import {
  nextBatchSize,
  prepaidReward,
  rewardByRule,
  settlementValue,
} from "../../ton/pool/v2/settlement_terms.ts";

/** The next settlement, as the pool prices it now. */
export interface SettlementOffer {
  /** Number of deposits that it settles. */
  readonly count: number;
  /** What the message carries. The pool returns the rest with the reward. */
  readonly value: bigint;
  /** Upper estimate of the fees. */
  readonly cost: bigint;
  readonly reward: bigint;
}

/**
 * Estimates the next settlement of `waiting` deposits.
 * @param options.now milliseconds
 * @throws {Problem} `chain_unavailable`
 */
export async function fetchSettlementOffer(
  pool: V2Pool,
  { waiting, assetKind, now, signal }: {
    readonly waiting: number;
    readonly assetKind: "native" | "jetton";
    readonly now: number;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<SettlementOffer> {
  const info = await pool.getSettleInfo({ signal });
  const count = nextBatchSize(info.settled, waiting);
  // Deposits that came after the queue was read share what was prepaid.
  const deposits = Math.max(info.settled + count, await pool.getNextIndex({ signal }));
  const rule = rewardByRule(info, count, Math.floor(now / 1000));
  const reward = assetKind === "native" ? rule : prepaidReward(info, rule, count, deposits - info.settled);
  const cost = estimateSettlementCost(await fetchNetworkPrices(pool.chain, { signal }), {
    assetKind,
    count,
    deposits,
    first: info.settled,
  });
  return { count, value: settlementValue(info), cost, reward };
}
