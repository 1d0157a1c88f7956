/**
 * The port to the rate limit counters that replicas of a relayer share. They are not durable: their loss resets
 * limits and never affects a payment. Callers choose the keys, which must not identify a person.
 */

/** A limit on how often something may happen. */
export interface RateLimit {
  /** Name of the limit: lower-case words with hyphens. */
  readonly name: string;
  /** Limit per {@link windowSeconds}; an integer. */
  readonly maxCount: number;
  readonly windowSeconds: number;
}

/** Whether the event is allowed, and if not, the seconds to wait (at least 1). */
export type RateLimitResult = { readonly allowed: true } | {
  readonly allowed: false;
  readonly retryAfter: number;
};

/** @param ms milliseconds to wait */
export function rejectForMs(ms: number): RateLimitResult {
  return { allowed: false, retryAfter: Math.max(1, Math.ceil(ms / 1_000)) };
}

/** Implementations: memory (one process) and Redis (replicas). Both pass `shared_contract_test.ts`. */
export interface RateLimitStore {
  /**
   * Takes a token for `key` from a bucket of {@link RateLimit.maxCount} that refills evenly in
   * {@link RateLimit.windowSeconds}. Rejected calls do not count.
   * @throws {Problem} `cache_unavailable`, soon; the caller decides whether to allow the event
   */
  consume(allowance: RateLimit, key: string): Promise<RateLimitResult>;

  /**
   * Counts `token` for `key` for {@link RateLimit.windowSeconds}: any window of that length counts at most
   * {@link RateLimit.maxCount}. The call is idempotent by token, so it can be retried. A limit uses either tokens or
   * `consume`, never both.
   * @param token random; must not reveal anything
   * @throws {Problem} `cache_unavailable`: the token may be counted until it is {@link release}d or expires
   */
  acquire(allowance: RateLimit, key: string, token: string): Promise<RateLimitResult>;

  /**
   * Uncounts `token`; does nothing if it is not counted or has expired.
   * @throws {Problem} `cache_unavailable`
   */
  release(allowance: RateLimit, key: string, token: string): Promise<void>;

  /** Checks that the store answers. @throws {Problem} `cache_unavailable` */
  ping(): Promise<void>;

  close(): Promise<void>;
}
