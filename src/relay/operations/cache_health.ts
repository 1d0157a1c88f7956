/**
 * Health of the shared cache for `/readyz`. Anyone can call that endpoint at any rate, so the cache is pinged at most
 * once a second, concurrent calls share one ping, and the wait is limited.
 */
import type { RateLimitStore } from "../../store/rate_limit_store.ts";
import { type Clock, TtlCache, withDeadline } from "../../core/time.ts";
import { degraded, type DependencyHealth, healthy } from "./health.ts";

const CACHE_HEALTH_TTL_MS = 1_000;
/** Longer than the cache client's own timeout, whose error is more specific. */
const PING_TIMEOUT_MS = 2_000;

export class CacheHealth {
  readonly #cache: Pick<RateLimitStore, "ping">;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #results: TtlCache<DependencyHealth>;

  /** @param signal aborts on shutdown, which ends a pending check */
  constructor(cache: Pick<RateLimitStore, "ping">, clock: Clock, signal: AbortSignal) {
    this.#cache = cache;
    this.#clock = clock;
    this.#signal = signal;
    this.#results = new TtlCache(clock, { ttlMs: CACHE_HEALTH_TTL_MS });
  }

  /** Returns a result at most a second old. Never rejects; a timeout is a result. */
  check(): Promise<DependencyHealth> {
    return this.#results.get("cache", async () => {
      try {
        await withDeadline(
          PING_TIMEOUT_MS,
          { clock: this.#clock, signal: this.#signal },
          () => this.#cache.ping(),
        );
        return healthy;
      } catch {
        return degraded("it does not answer: no withdrawals are accepted");
      }
    });
  }
}
