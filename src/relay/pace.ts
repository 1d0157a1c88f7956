/** How often the endpoint is asked. All in milliseconds. */
import type { Network } from "../core/network.ts";

/** Intervals of one network and endpoint. */
export interface Pace {
  /** Between looks at a pool: right after news, and when nothing happens. */
  readonly pollMin: number;
  readonly pollMax: number;
  /** After a failure: the first time, and at most. */
  readonly retryMin: number;
  readonly retryMax: number;
  /** A pool without a good answer for so long is not ready. */
  readonly staleAfter: number;
  /** Between looks at the endpoint's head. */
  readonly head: number;
  /** Between looks at the wallet while a transfer is in flight. */
  readonly wallet: number;
  /** Between sends of the same transfer. */
  readonly rebroadcast: number;
}

/**
 * The pace for `pools` pools. A public endpoint allows one request a second without a key and ten with one: all pools
 * together take at most half of that, so that sends and getters find room. On localnet nothing is scarce.
 */
export function paceFor(network: Network, options: { hasKey: boolean; pools: number }): Pace {
  if (network === "localnet") {
    return {
      pollMin: 100,
      pollMax: 500,
      retryMin: 200,
      retryMax: 2_000,
      staleAfter: 10_000,
      head: 2_500,
      wallet: 200,
      rebroadcast: 2_000,
    };
  }
  const each = 2 * options.pools * (options.hasKey ? 100 : 1_000);
  const staleAfter = Math.max(60_000, 6 * each);
  return {
    pollMin: Math.max(2_000, each),
    pollMax: Math.max(10_000, 2 * each),
    retryMin: 1_000,
    retryMax: 30_000,
    staleAfter,
    head: staleAfter / 4,
    wallet: 2_000,
    rebroadcast: 6_000,
  };
}
