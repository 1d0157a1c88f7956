/** What a pool pays for a settlement at least, as far as the relayer can know before it proves one. */
import type { CallOptions } from "../../ton/chain.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import { maxPoolSize } from "../../ton/pool/pool_size.ts";
import type { SettleInfo, V2Pool } from "../../ton/pool/v2/pool.ts";
import { prepaidReward } from "../../ton/pool/v2/settlement_terms.ts";

interface RewardQuestion {
  readonly contract: V2Pool;
  readonly info: SettleInfo;
  readonly rule: bigint; // by `rewardByRule`
  readonly count: number;
  /** Number of settlements before this one that are not on chain yet. */
  readonly ahead: number;
  readonly knownDeposits: number;
  readonly needed: bigint; // the least reward that is worth a settlement
  readonly prices: { getPrices(): Promise<NetworkPrices> };
}

/** Returns a lower bound: all known deposits share, and earlier settlements are paid first. */
export async function expectedReward(
  { contract, info, rule, count, ahead, knownDeposits, needed, prices }: RewardQuestion,
  options?: CallOptions,
): Promise<bigint> {
  const pool = await contract.getPoolInfo(options);
  const queued = Math.max(count, Math.max(knownDeposits, pool.deposits) - info.settled);
  const reward = pool.assetKind === "native" ? rule : prepaidReward(info, rule, count, queued);
  if (reward < needed) return reward; // the account's response includes the contract's data
  const { balance, syncUtime } = await contract.chain.account(contract.address, options);
  const idle = pool.touched === 0 ? 0 : Math.max(0, syncUtime - pool.touched);
  const { storageFee } = await prices.getPrices();
  const available = balance - storageFee({ ...maxPoolSize(pool), seconds: BigInt(idle) });
  const share = available > 0n ? available / BigInt(ahead + 1) : 0n;
  return reward < share ? reward : share;
}
