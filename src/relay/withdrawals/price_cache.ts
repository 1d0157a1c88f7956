/** Caches the chain's prices, which validators change rarely and announce. */
import type { Chain } from "../../ton/chain.ts";
import { fetchNetworkPrices, type NetworkPrices } from "../../ton/network_prices.ts";
import type { Clock } from "../../core/time/clock.ts";
import { TtlCache } from "../../core/time/ttl_cache.ts";

const PRICE_CACHE_TTL_MS = 600_000;

export class PriceCache {
  readonly #prices: TtlCache<NetworkPrices>;

  constructor(private readonly chain: Chain, clock: Clock) {
    this.#prices = new TtlCache(clock, { ttlMs: PRICE_CACHE_TTL_MS });
  }

  /** At most ten minutes old. Throws `chain_unavailable` and similar, `overloaded`. */
  getPrices(): Promise<NetworkPrices> {
    return this.#prices.get("prices", () => fetchNetworkPrices(this.chain, { lowPriority: true }));
  }
}
