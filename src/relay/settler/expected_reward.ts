/** Estimates the least reward that a pool pays for a settlement, before the relayer proves it. */
import { CHUNK_SLOTS } from "../../core/crypto/groth16.ts";
import { FULL_REWARD_SECONDS } from "../../core/protocol/v2/pool_constants.ts";
import type { CallOptions } from "../../ton/chain.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import type { PoolInfo } from "../../ton/pool/pool_getters.ts";
import { maxPoolSize } from "../../ton/pool/pool_size.ts";
import type { SettleInfo, V2Pool } from "../../ton/pool/v2/pool.ts";
import { estimateSettlementCost } from "../../ton/pool/v2/settlement_cost.ts";
import { prepaidReward, rewardByRule } from "../../ton/pool/v2/settlement_terms.ts";

/** A settlement that could be proved next. */
interface SettlementCandidate {
  readonly contract: V2Pool;
  readonly info: SettleInfo;
  readonly assetKind: PoolInfo["assetKind"];
  readonly fullReward: bigint; // what `rewardByRule` returns, before the pool's funds limit it
  readonly first: number;
  readonly count: number;
  /** Number of settlements before this one that are not on chain yet. */
  readonly ahead: number;
  readonly knownDeposits: number;
  readonly prices: { getPrices(): Promise<NetworkPrices> };
}

/** The margin for refused settlements is the cost divided by this. */
const REFUSALS_DIVISOR = 33n;

/** Returns a lower bound of the reward, or undefined if it does not cover the cost of the settlement. */
export async function profitableReward(
  candidate: SettlementCandidate,
  options?: CallOptions,
): Promise<bigint | undefined> {
  const { contract, info, assetKind, fullReward, count, ahead, knownDeposits } = candidate;
  const prices = await candidate.prices.getPrices();
  if (fullReward < neededReward(candidate, knownDeposits, prices)) return undefined; // saves the calls below
  const pool = await contract.getPoolInfo(options);
  const deposits = Math.max(knownDeposits, pool.deposits);
  const needed = neededReward(candidate, deposits, prices);
  const queued = Math.max(count, deposits - info.settled);
  const reward = assetKind === "native" ? fullReward : prepaidReward(info, fullReward, count, queued);
  if (reward < needed) return undefined;
  // The pool pays from its balance after storage fees, settlements under way first.
  const { balance, syncUtime } = await contract.chain.account(contract.address, options);
  const idle = pool.touched === 0 ? 0 : Math.max(0, syncUtime - pool.touched);
  const due = prices.storageFee({ ...maxPoolSize(pool), seconds: BigInt(idle), until: syncUtime });
  const available = balance - due;
  const share = available > 0n ? available / BigInt(ahead + 1) : 0n;
  const expected = reward < share ? reward : share;
  return expected < needed ? undefined : expected;
}

/**
 * Returns the least reward that is worth the settlement. A batch whose cost exceeds every reward, because the pool reads
 * a long queue, needs the highest one if a whole chunk waits behind it, which earns more than the difference.
 */
function neededReward(
  { info, assetKind, first, count }: SettlementCandidate,
  deposits: number,
  prices: NetworkPrices,
): bigint {
  const cost = estimateSettlementCost(prices, { assetKind, first, count, deposits });
  const needed = cost + cost / REFUSALS_DIVISOR;
  const highest = rewardByRule(info, count, info.waitingSince + FULL_REWARD_SECONDS);
  const isFollowed = deposits - first - count >= CHUNK_SLOTS;
  return isFollowed && highest < needed ? highest : needed;
}
