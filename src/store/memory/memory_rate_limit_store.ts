/** {@linkcode RateLimitStore} in memory, for a relayer without replicas. Counts are lost at exit. */
import { type RateLimit, type RateLimitStore, rejectForMs } from "../rate_limit_store.ts";

/** `updatedAt` in Unix milliseconds. */
interface TokenBucket {
  readonly tokens: number;
  readonly updatedAt: number;
}

export interface MemoryRateLimitStore extends RateLimitStore {
  readonly bucketCount: number;
}

/** `now` in Unix milliseconds. */
export function createMemoryRateLimitStore(now: () => number): MemoryRateLimitStore {
  const bucketsByLimit = new Map<string, Map<string, TokenBucket>>();
  const tokensByKey = new Map<string, Map<string, number>>();

  function bucketsOf(
    { name, maxCount, windowSeconds }: RateLimit,
    time: number,
  ): Map<string, TokenBucket> {
    const id = `${name} ${maxCount} ${windowSeconds}`;
    const buckets = bucketsByLimit.get(id) ?? new Map<string, TokenBucket>();
    bucketsByLimit.set(id, buckets);
    for (const [key, { updatedAt: at }] of buckets) {
      if (at + windowSeconds * 1_000 > time) break;
      buckets.delete(key);
    }
    return buckets;
  }

  /** Tokens with their times, oldest first. */
  function tokensOf(
    { name, windowSeconds }: RateLimit,
    key: string,
    time: number,
  ): Map<string, number> {
    const tokens = tokensByKey.get(`${name}:${key}`) ?? new Map<string, number>();
    tokensByKey.set(`${name}:${key}`, tokens);
    for (const [token, since] of tokens) {
      if (since + windowSeconds * 1_000 > time) break;
      tokens.delete(token);
    }
    return tokens;
  }

  return {
    get bucketCount() {
      return [...bucketsByLimit.values()].reduce((sum, { size }) => sum + size, 0);
    },
    consume(limit, key) {
      const time = now();
      const { maxCount, windowSeconds } = limit;
      const perMs = maxCount / (windowSeconds * 1_000);
      const buckets = bucketsOf(limit, time);
      const { tokens: left, updatedAt: at } = buckets.get(key) ?? { tokens: maxCount, updatedAt: time };
      const filled = Math.min(maxCount, left + Math.max(0, time - at) * perMs);
      if (filled < 1) return Promise.resolve(rejectForMs((1 - filled) / perMs));
      buckets.delete(key);
      buckets.set(key, { tokens: filled - 1, updatedAt: time });
      return Promise.resolve({ allowed: true });
    },
    acquire(limit, key, token) {
      const time = now();
      const { maxCount, windowSeconds } = limit;
      const tokens = tokensOf(limit, key, time);
      if (tokens.has(token)) return Promise.resolve({ allowed: true });
      if (tokens.size >= maxCount) {
        const next = [...tokens.values()][tokens.size - maxCount];
        return Promise.resolve(rejectForMs(next + windowSeconds * 1_000 - time));
      }
      tokens.set(token, time);
      return Promise.resolve({ allowed: true });
    },
    release(limit, key, token) {
      tokensOf(limit, key, now()).delete(token);
      return Promise.resolve();
    },
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
