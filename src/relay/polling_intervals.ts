/** How often the relayer queries the chain, by network, request limit and number of pools. */
import type { Network } from "../core/protocol/network.ts";

export interface PollingIntervals {
  readonly minPollMs: number;
  readonly maxPollMs: number;
  readonly minRetryMs: number;
  readonly maxRetryMs: number;
  /** Without a valid response for this long, a pool is not ready. */
  readonly staleAfterMs: number;
  readonly chainHeadPollMs: number;
  readonly walletPollMs: number;
  readonly rebroadcastMs: number;
  /** Interval between reads of the pools' balances, which storage consumes over years. */
  readonly poolFundsPollMs: number;
  /** Interval between two slots in which this relayer may top up a pool. Other relayers have other slots. */
  readonly topUpSlotMs: number;
  /** Upper bound for the time until a refused payout is a claim; until then, also the poll interval. */
  readonly payoutMs: number;
}

const MAX_RATE = 10;

/** Polling uses at most half of the requests that the endpoint allows, and at most 5 a second. */
export function getPollingIntervals(
  network: Network,
  options: { requestsPerSecond: number; pools: number },
): PollingIntervals {
  if (network === "localnet") {
    return {
      minPollMs: 100,
      maxPollMs: 500,
      minRetryMs: 200,
      maxRetryMs: 2_000,
      staleAfterMs: 60_000,
      chainHeadPollMs: 2_500,
      walletPollMs: 200,
      rebroadcastMs: 2_000,
      poolFundsPollMs: 2_000,
      topUpSlotMs: 10_000,
      payoutMs: 4_000,
    };
  }
  const each = 2 * options.pools * 1_000 / Math.min(options.requestsPerSecond, MAX_RATE);
  const staleAfter = Math.max(60_000, 6 * each);
  return {
    minPollMs: Math.max(2_000, each),
    maxPollMs: Math.max(10_000, 2 * each),
    minRetryMs: 1_000,
    maxRetryMs: 30_000,
    staleAfterMs: staleAfter,
    chainHeadPollMs: staleAfter / 4,
    walletPollMs: 2_000,
    rebroadcastMs: 6_000,
    poolFundsPollMs: 6 * 3_600_000,
    topUpSlotMs: 24 * 3_600_000,
    payoutMs: Math.max(10_000, each),
  };
}
