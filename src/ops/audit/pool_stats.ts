/** Usage statistics of a pool from its own logs. No relayer is queried. */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import { poolCapacity } from "../../core/protocol/v2/pool_constants.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import type { Chain } from "../../ton/chain.ts";
import { Pool } from "../../ton/pool/pool.ts";
import type { PoolInfo } from "../../ton/pool/pool_getters.ts";
import type { DepositEvent, WithdrawalEvent } from "../../ton/pool/history/pool_events.ts";
import { scanPoolTransactions } from "../../ton/pool/history/scan.ts";

/** Older fees reflect other prices. */
export const FEE_SAMPLE_SIZE = 100;
const HOUR_SECONDS = 3600;
/** In seconds, ending at the block that was read. */
export const activityWindows = {
  day: 24 * HOUR_SECONDS,
  week: 7 * 24 * HOUR_SECONDS,
  month: 30 * 24 * HOUR_SECONDS,
} as const;

interface ActivityCounts {
  readonly deposits: number;
  readonly withdrawals: number;
}

/** Amounts in the asset's smallest unit. */
export interface PoolStats {
  readonly info: PoolInfo;
  readonly denomination: bigint;
  readonly readAt: number; // chain time in Unix seconds
  readonly deposits: number;
  readonly withdrawals: number;
  /** Notes that can still be withdrawn. The anonymity set is all `deposits`. */
  readonly unspent: number;
  readonly activity: Readonly<Record<keyof typeof activityWindows, ActivityCounts>>;
  readonly relayed: number;
  readonly relayers: number;
  readonly fees?: { readonly min: bigint; readonly median: bigint; readonly max: bigint };
  readonly feesTotal: bigint;
  readonly latestEvents: readonly (DepositEvent | WithdrawalEvent)[]; // newest first
}

interface StatsOptions {
  readonly latest: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (transactions: number) => void;
}

/** Throws `chain_inconsistent` if events are missing, `contract_refused` if the account is not a pool. */
export async function readPoolStats(
  chain: Chain,
  address: Address,
  options: StatsOptions,
): Promise<PoolStats> {
  const pool = new Pool(chain, address);
  const info = await pool.getPoolInfo(options);
  const denomination = await pool.getDenomination(options);
  const { syncUtime: readAt } = await chain.account(address, options);
  const capacity = poolCapacity(info.version);
  const { times, ...usage } = await readUsage(chain, address, { ...options, capacity });
  const { deposits, withdrawals } = countSince(times, -Infinity);
  if (deposits < info.deposits || withdrawals < info.withdrawals) {
    throw new Problem(
      "chain_inconsistent",
      `the history of ${formatAddress(address, chain.network)} has ${deposits} deposits and ${withdrawals} ` +
        `withdrawals, the pool counts ${info.deposits} and ${info.withdrawals}`,
    );
  }
  return {
    info,
    denomination,
    readAt,
    deposits,
    withdrawals,
    unspent: deposits - withdrawals,
    activity: {
      day: countSince(times, readAt - activityWindows.day),
      week: countSince(times, readAt - activityWindows.week),
      month: countSince(times, readAt - activityWindows.month),
    },
    ...usage,
  };
}

type EventTimes = Readonly<Record<"deposits" | "withdrawals", number[]>>; // in Unix seconds

async function readUsage(
  chain: Chain,
  address: Address,
  options: StatsOptions & { readonly capacity: number },
) {
  const times: EventTimes = { deposits: [], withdrawals: [] };
  const relayers = new Set<string>();
  let fees: bigint[] = [];
  let latest: (DepositEvent | WithdrawalEvent)[] = [];
  let [relayed, feesTotal] = [0, 0n];
  for await (const { events } of scanPoolTransactions(chain, address, options)) {
    for (const event of events) {
      if (event.kind !== "deposit" && event.kind !== "withdrawal") continue;
      latest.push(event);
      times[event.kind === "deposit" ? "deposits" : "withdrawals"].push(event.timestamp);
      if (event.kind === "deposit" || !event.relayer) continue;
      relayers.add(event.relayer.toRawString());
      relayed++;
      feesTotal += event.fee;
      fees.push(event.fee);
    }
    fees = fees.slice(-FEE_SAMPLE_SIZE);
    latest = options.latest > 0 ? latest.slice(-options.latest) : [];
  }
  return {
    times,
    relayed,
    relayers: relayers.size,
    feesTotal,
    ...fees.length > 0 && { fees: feeRange(fees) },
    latestEvents: latest.reverse(),
  };
}

function countSince({ deposits, withdrawals }: EventTimes, after: number): ActivityCounts {
  const count = (times: readonly number[]) => times.filter((time) => time > after).length;
  return { deposits: count(deposits), withdrawals: count(withdrawals) };
}

function feeRange(amounts: readonly bigint[]) {
  const sorted = amounts.toSorted((a, b) => a < b ? -1 : a > b ? 1 : 0);
  return { min: sorted[0], median: sorted[sorted.length >> 1], max: sorted[sorted.length - 1] };
}
