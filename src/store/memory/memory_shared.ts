/** {@link Shared} in this process's memory: for a relayer without replicas. Its counts end with the process. */
import { RateLimiterMemory } from "rate-limiter-flexible";
import { overLimiters, refused } from "../limiters.ts";
import type { Allowance, Shared } from "../shared.ts";

/** What counts towards a bound until `end`, unix milliseconds. */
interface Held {
  readonly tokens: Set<string>;
  readonly end: number;
}

/** Counts in memory. */
export function memoryShared(): Shared {
  const limiters = overLimiters(({ name, times, seconds }) =>
    new RateLimiterMemory({ keyPrefix: name, points: times, duration: seconds })
  );
  const all = new Map<string, Held>();
  const heldOf = ({ name, seconds }: Allowance, key: string): Held => {
    const known = all.get(`${name}:${key}`);
    if (known !== undefined && known.tokens.size > 0 && Date.now() < known.end) return known;
    const held = { tokens: new Set<string>(), end: Date.now() + seconds * 1_000 };
    all.set(`${name}:${key}`, held);
    return held;
  };
  return {
    ...limiters,
    hold(allowance, key, token) {
      const { tokens, end } = heldOf(allowance, key);
      if (tokens.size >= allowance.times && !tokens.has(token)) {
        return Promise.resolve(refused(end - Date.now()));
      }
      tokens.add(token);
      return Promise.resolve({ allowed: true });
    },
    release(allowance, key, token) {
      heldOf(allowance, key).tokens.delete(token);
      return Promise.resolve();
    },
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
