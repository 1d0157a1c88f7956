/** How both adapters of {@link Shared} take: by a limiter of rate-limiter-flexible, of which each makes its own kind. */
import { type RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible";
import { Problem } from "../core/errors.ts";
import type { Allowance, Shared, Taken } from "./shared.ts";

/** Takes over limiters that `make` makes, one for each allowance. */
export function overLimiters(make: (allowance: Allowance) => RateLimiterAbstract): Pick<Shared, "take"> {
  const limiters = new Map<string, RateLimiterAbstract>();
  const limiterOf = (allowance: Allowance) => {
    const id = `${allowance.name} ${allowance.times} ${allowance.seconds}`;
    const known = limiters.get(id) ?? make(allowance);
    limiters.set(id, known);
    return known;
  };
  return {
    async take(allowance, key): Promise<Taken> {
      const limiter = limiterOf(allowance);
      try {
        await limiter.consume(key);
        return { allowed: true };
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw unavailable(refusal);
        return refused(refusal.msBeforeNext);
      }
    },
  };
}

/** @param ms until it may be asked again */
export function refused(ms: number): Taken {
  return { allowed: false, retryAfter: Math.max(1, Math.ceil(ms / 1000)) };
}

/** @throws {Problem} `cache_unavailable` when `answer` fails */
export async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw unavailable(cause);
  }
}

function unavailable(cause: unknown): Problem {
  return new Problem("cache_unavailable", undefined, { cause });
}
