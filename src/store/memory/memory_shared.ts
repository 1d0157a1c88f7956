/** {@link Shared} in this process's memory: for a relayer without replicas. Its counts end with the process. */
import { type Allowance, refusedFor, type Shared } from "../shared.ts";

/** What was left at a moment, unix milliseconds. */
interface Bucket {
  readonly left: number;
  readonly at: number;
}

/** Counts in memory. */
export function memoryShared(): Shared {
  const bounds = new Map<string, Map<string, Bucket>>();
  const sets = new Map<string, Map<string, number>>();

  /** Buckets of one bound, the one that was taken from last at the end, and none that is full again. */
  function bucketsOf({ name, times, seconds }: Allowance, now: number): Map<string, Bucket> {
    const id = `${name} ${times} ${seconds}`;
    const buckets = bounds.get(id) ?? new Map<string, Bucket>();
    bounds.set(id, buckets);
    for (const [key, { at }] of buckets) {
      if (at + seconds * 1_000 > now) break;
      buckets.delete(key);
    }
    return buckets;
  }

  /** Tokens that count now, and since when; oldest first. */
  function heldOf({ name, seconds }: Allowance, key: string, now: number): Map<string, number> {
    const held = sets.get(`${name}:${key}`) ?? new Map<string, number>();
    sets.set(`${name}:${key}`, held);
    for (const [token, since] of held) {
      if (since + seconds * 1_000 > now) break;
      held.delete(token);
    }
    return held;
  }

  return {
    take(allowance, key) {
      const now = Date.now();
      const { times, seconds } = allowance;
      const perMs = times / (seconds * 1_000);
      const buckets = bucketsOf(allowance, now);
      const { left, at } = buckets.get(key) ?? { left: times, at: now };
      const filled = Math.min(times, left + Math.max(0, now - at) * perMs);
      if (filled < 1) return Promise.resolve(refusedFor((1 - filled) / perMs));
      buckets.delete(key);
      buckets.set(key, { left: filled - 1, at: now });
      return Promise.resolve({ allowed: true });
    },
    hold(allowance, key, token) {
      const now = Date.now();
      const { times, seconds } = allowance;
      const held = heldOf(allowance, key, now);
      if (held.has(token)) return Promise.resolve({ allowed: true });
      if (held.size >= times) {
        const next = [...held.values()][held.size - times];
        return Promise.resolve(refusedFor(next + seconds * 1_000 - now));
      }
      held.set(token, now);
      return Promise.resolve({ allowed: true });
    },
    release(allowance, key, token) {
      heldOf(allowance, key, Date.now()).delete(token);
      return Promise.resolve();
    },
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
