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
  const bounds = new Map<string, Map<string, TokenBucket>>();
  const sets = new Map<string, Map<string, number>>();

  function bucketsOf(
    { name, maxCount: times, windowSeconds: seconds }: RateLimit,
    time: number,
  ): Map<string, TokenBucket> {
    const id = `${name} ${times} ${seconds}`;
    const buckets = bounds.get(id) ?? new Map<string, TokenBucket>();
    bounds.set(id, buckets);
    for (const [key, { updatedAt: at }] of buckets) {
      if (at + seconds * 1_000 > time) break;
      buckets.delete(key);
    }
    return buckets;
  }

  /** Tokens with their times, oldest first. */
  function heldOf(
    { name, windowSeconds: seconds }: RateLimit,
    key: string,
    time: number,
  ): Map<string, number> {
    const held = sets.get(`${name}:${key}`) ?? new Map<string, number>();
    sets.set(`${name}:${key}`, held);
    for (const [token, since] of held) {
      if (since + seconds * 1_000 > time) break;
      held.delete(token);
    }
    return held;
  }

  return {
    get bucketCount() {
      return [...bounds.values()].reduce((sum, { size }) => sum + size, 0);
    },
    consume(allowance, key) {
      const time = now();
      const { maxCount: times, windowSeconds: seconds } = allowance;
      const perMs = times / (seconds * 1_000);
      const buckets = bucketsOf(allowance, time);
      const { tokens: left, updatedAt: at } = buckets.get(key) ?? { tokens: times, updatedAt: time };
      const filled = Math.min(times, left + Math.max(0, time - at) * perMs);
      if (filled < 1) return Promise.resolve(rejectForMs((1 - filled) / perMs));
      buckets.delete(key);
      buckets.set(key, { tokens: filled - 1, updatedAt: time });
      return Promise.resolve({ allowed: true });
    },
    acquire(allowance, key, token) {
      const time = now();
      const { maxCount: times, windowSeconds: seconds } = allowance;
      const held = heldOf(allowance, key, time);
      if (held.has(token)) return Promise.resolve({ allowed: true });
      if (held.size >= times) {
        const next = [...held.values()][held.size - times];
        return Promise.resolve(rejectForMs(next + seconds * 1_000 - time));
      }
      held.set(token, time);
      return Promise.resolve({ allowed: true });
    },
    release(allowance, key, token) {
      heldOf(allowance, key, now()).delete(token);
      return Promise.resolve();
    },
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
