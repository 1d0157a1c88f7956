/** Checks the cache for `/readyz`. Anyone can call that at any rate, so the cache is pinged at most once a second. */
import type { RateLimitStore } from "../../store/rate_limit_store.ts";
import type { Clock } from "../../core/time/clock.ts";
import { withDeadline } from "../../core/time/deadline.ts";
import { TtlCache } from "../../core/time/ttl_cache.ts";
import { degraded, type DependencyHealth, healthy } from "./health.ts";

const CACHE_HEALTH_TTL_MS = 1_000;
/** Longer than the cache client's own timeout, whose error is more specific. */
const PING_TIMEOUT_MS = 2_000;

export class CacheHealth {
  readonly #results: TtlCache<DependencyHealth>;

  constructor(
    private readonly cache: Pick<RateLimitStore, "ping">,
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {
    this.#results = new TtlCache(clock, { ttlMs: CACHE_HEALTH_TTL_MS });
  }

  /** Never rejects: a timeout is a result. */
  check(): Promise<DependencyHealth> {
    return this.#results.get("cache", async () => {
      try {
        await withDeadline(
          PING_TIMEOUT_MS,
          { clock: this.clock, signal: this.signal, onTimeout: () => new Error("no answer to the ping") },
          () => this.cache.ping(),
        );
        return healthy;
      } catch {
        return degraded("it does not respond, or refuses to count: withdrawals are rejected");
      }
    });
  }
}
