/** Counters are not durable: their loss affects no payment. Keys must not identify a person. */

export interface RateLimit {
  readonly name: string; // lowercase words with hyphens
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

export interface RateLimitStore {
  /** The bucket refills evenly; rejected calls do not count. Throws `cache_unavailable`. */
  consume(limit: RateLimit, key: string): Promise<RateLimitResult>;

  /** Counts `token` once during the window; after `cache_unavailable` possibly until it expires. */
  acquire(limit: RateLimit, key: string, token: string): Promise<RateLimitResult>;

  /** Stops counting `token`. Throws `cache_unavailable`. */
  release(limit: RateLimit, key: string, token: string): Promise<void>;

  /** Does what the other methods do, with a key of its own. Throws `cache_unavailable` if one of them fails. */
  ping(): Promise<void>;

  close(): Promise<void>;
}
