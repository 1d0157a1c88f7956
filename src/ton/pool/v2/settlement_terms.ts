/** The reward and the cost of a settlement of a version 2 pool. Amounts in nano, times in Unix seconds. */
import { CHUNK_SLOTS } from "../../../core/crypto/groth16.ts";
import { chunkEnd } from "../../../core/protocol/pool_ledger.ts";
import {
  FULL_REWARD_SECONDS,
  PARTIAL_BATCH_SECONDS,
  REWARD_DIVISOR,
} from "../../../core/protocol/v2/pool_constants.ts";
import type { SettleInfo } from "./pool.ts";

/** In addition to twice the price of a lone settlement: forward fees at any price. The pool returns the rest. */
const VALUE_MARGIN_NANO = 50_000_000n;

/** Returns how many of `waiting` deposits one settlement can take: those that fill the chunk of 16 leaves. */
export function nextBatchSize(settled: number, waiting: number): number {
  return Math.min(waiting, chunkEnd(settled) - settled);
}

/** Returns what the pool pays for settling `count` deposits at `now`, if it can afford it. */
export function rewardByRule(
  { settlementCost, waitingSince }: SettleInfo,
  count: number,
  now: number,
): bigint {
  const waited = Math.min(Math.max(0, now - waitingSince), FULL_REWARD_SECONDS);
  return BigInt(count) * settlementCost / BigInt(REWARD_DIVISOR) +
    BigInt(waited) * settlementCost / BigInt(FULL_REWARD_SECONDS);
}

/** Returns what a jetton pool pays: at most the `count` deposits' part of what `queued` deposits prepaid. */
export function prepaidReward({ pending }: SettleInfo, rule: bigint, count: number, queued: number): bigint {
  const moved = pending * BigInt(count) / BigInt(queued);
  return rule < moved ? rule : moved;
}

/** Returns what a settlement carries; most of it returns. */
export function settlementValue({ settlementCost }: SettleInfo): bigint {
  return 2n * settlementCost + VALUE_MARGIN_NANO;
}

/** Returns when the pool accepts a settlement up to leaf `end`: one that fills its chunk at any time. */
export function settlementDueAt({ settledAt }: SettleInfo, end: number): number {
  return end % CHUNK_SLOTS === 0 ? 0 : settledAt + PARTIAL_BATCH_SECONDS + 1; // the pool compares its own clock
}
