/** {@link Shared} in this process's memory: for a relayer without replicas. Its counts end with the process. */
import { RateLimiterMemory } from "rate-limiter-flexible";
import { overLimiters } from "../limiters.ts";
import type { Shared } from "../shared.ts";

/** Counts in memory. */
export function memoryShared(): Shared {
  const limiters = overLimiters(({ name, times, seconds }) =>
    new RateLimiterMemory({ keyPrefix: name, points: times, duration: seconds })
  );
  return { ...limiters, ping: () => Promise.resolve(), close: () => Promise.resolve() };
}
