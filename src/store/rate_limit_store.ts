/**
 * The port to the rate limit counters that replicas share. They are not durable: their loss resets limits and
 * affects no payment. Keys must not identify a person.
 */

export interface RateLimit {
  /** Lowercase words with hyphens. */
  readonly name: string;
  /** An integer, per {@linkcode windowSeconds}. */
  readonly maxCount: number;
  readonly windowSeconds: number;
}

/** `retryAfter` in seconds, at least 1. */
export type RateLimitResult = { readonly allowed: true } | {
  readonly allowed: false;
  readonly retryAfter: number;
};

export function rejectForMs(ms: number): RateLimitResult {
  return { allowed: false, retryAfter: Math.max(1, Math.ceil(ms / 1_000)) };
}

/** Implementations: memory (one process) and Redis (replicas). */
export interface RateLimitStore {
  /**
   * Takes a token for `key` from a bucket that refills evenly. Rejected calls do not count. Throws
   * `cache_unavailable` soon; the caller then decides.
   */
  consume(allowance: RateLimit, key: string): Promise<RateLimitResult>;

  /**
   * Counts the random `token` for `key` during the window. Repeating a call counts once. A limit uses either
   * this or `consume`. After `cache_unavailable` the token may be counted until it is released or expires.
   */
  acquire(allowance: RateLimit, key: string, token: string): Promise<RateLimitResult>;

  /** Uncounts `token`, if counted. Throws `cache_unavailable`. */
  release(allowance: RateLimit, key: string, token: string): Promise<void>;

  /** Throws `cache_unavailable` if the store does not respond. */
  ping(): Promise<void>;

  close(): Promise<void>;
}
