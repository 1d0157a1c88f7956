/**
 * What a pool has seen, from its own logs: how many notes it holds, how it is used, and what relayers take. Nothing is
 * asked of any relayer.
 */
import type { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";
import { shownAddress } from "../core/shown_address.ts";
import type { Chain } from "../ton/chain.ts";
import { Pool, type PoolInfo } from "../ton/pool.ts";
import type { DepositEvent, WithdrawalEvent } from "../ton/pool_event.ts";
import { scanPoolTransactions } from "../ton/scan.ts";

/** Fees are of so many last relayed withdrawals: older ones tell of other prices. */
export const FEES_OF = 100;
const HOUR = 3600;
/** Spans, in seconds, that end at the block which was read. */
export const spans = { day: 24 * HOUR, week: 7 * 24 * HOUR, month: 30 * 24 * HOUR } as const;

/** Deposits and withdrawals within a span. */
export interface Activity {
  readonly deposits: number;
  readonly withdrawals: number;
}

/** A pool's use. Amounts in its asset's smallest unit. */
export interface PoolStats {
  readonly info: PoolInfo;
  readonly denomination: bigint;
  /** Unix seconds of the chain when it was read. */
  readonly at: number;
  readonly deposits: number;
  readonly withdrawals: number;
  /** Notes that can still be withdrawn: what a withdrawal hides among is all `deposits`. */
  readonly unspent: number;
  readonly activity: Readonly<Record<keyof typeof spans, Activity>>;
  /** Withdrawals that a relayer sent. */
  readonly relayed: number;
  /** Distinct relayer addresses among them. */
  readonly relayers: number;
  /** Of the last {@linkcode FEES_OF} relayed ones; undefined when there is none. */
  readonly fees?: { readonly least: bigint; readonly median: bigint; readonly greatest: bigint };
  /** All that relayers ever took. */
  readonly feesTotal: bigint;
  /** Newest first, as many as were asked for. */
  readonly latest: readonly (DepositEvent | WithdrawalEvent)[];
}

/**
 * Reads a pool's whole history.
 *
 * @param latest how many events to keep
 * @throws {Problem} `chain_inconsistent` when the history has less than the pool itself counts; `contract_refused` for an
 *   account that is no pool; what {@linkcode scanPoolTransactions} throws
 */
export async function poolStats(
  chain: Chain,
  address: Address,
  options: {
    readonly latest: number;
    readonly signal?: AbortSignal;
    readonly onProgress?: (transactions: number) => void;
  },
): Promise<PoolStats> {
  const pool = new Pool(chain, address);
  const info = await pool.getPoolInfo(options);
  const denomination = await pool.getDenomination(options);
  const { syncUtime: at } = await chain.account(address, options);
  const times = { deposits: [] as number[], withdrawals: [] as number[] };
  const relayers = new Set<string>();
  let [fees, latest]: [bigint[], (DepositEvent | WithdrawalEvent)[]] = [[], []];
  let [relayed, feesTotal] = [0, 0n];
  for await (const { events } of scanPoolTransactions(chain, address, options)) {
    for (const event of events) {
      if (event.kind === "refused") continue;
      latest.push(event);
      times[event.kind === "deposit" ? "deposits" : "withdrawals"].push(event.timestamp);
      if (event.kind === "deposit" || !event.relayer) continue;
      relayers.add(event.relayer.toRawString());
      relayed++;
      feesTotal += event.fee;
      fees.push(event.fee);
    }
    fees = fees.slice(-FEES_OF);
    latest = options.latest > 0 ? latest.slice(-options.latest) : [];
  }
  const { deposits, withdrawals } = {
    deposits: times.deposits.length,
    withdrawals: times.withdrawals.length,
  };
  if (deposits < info.deposits || withdrawals < info.withdrawals) {
    throw new Problem(
      "chain_inconsistent",
      `the history of ${
        shownAddress(address, chain.network)
      } has ${deposits} deposits and ${withdrawals} withdrawals, ` +
        `the pool counts ${info.deposits} and ${info.withdrawals}`,
    );
  }
  const within = (seconds: number): Activity => ({
    deposits: times.deposits.filter((time) => time > at - seconds).length,
    withdrawals: times.withdrawals.filter((time) => time > at - seconds).length,
  });
  return {
    ...{ info, denomination, at, deposits, withdrawals, unspent: deposits - withdrawals },
    activity: { day: within(spans.day), week: within(spans.week), month: within(spans.month) },
    ...{ relayed, relayers: relayers.size, feesTotal },
    ...fees.length > 0 && { fees: spread(fees) },
    latest: latest.reverse(),
  };
}

function spread(amounts: readonly bigint[]) {
  const sorted = amounts.toSorted((a, b) => a < b ? -1 : a > b ? 1 : 0);
  return { least: sorted[0], median: sorted[sorted.length >> 1], greatest: sorted[sorted.length - 1] };
}
