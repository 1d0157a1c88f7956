/**
 * How often one client may ask. While the cache that replicas share is down, each counts for itself: a bound that is a
 * few times too wide is better than none, and than an API that answers nobody.
 */
import { createMiddleware } from "hono/factory";
import { Problem } from "../core/errors.ts";
import type { Allowance, Taken } from "../store/shared.ts";
import { clientNetwork } from "./client_address.ts";
import type { HttpEnv, RateLimits } from "./deps.ts";

const MINUTE = 60;

/** A route that is bounded; each is counted by itself. */
export type RatedRoute = "note-check" | "withdraw" | "withdraw-status";

/** Refuses with `rate_limited` who asks too often. Without limits everybody may. */
export function rateLimit(route: RatedRoute, limits: RateLimits | undefined) {
  const times = limits === undefined ? 0 : route === "withdraw" ? limits.withdraw : limits.noteCheck;
  const allowance: Allowance = { name: `rate-${route}`, times, seconds: MINUTE };
  return createMiddleware<HttpEnv>(async (c, next) => {
    if (limits !== undefined && times > 0) {
      const network = clientNetwork(c.env?.peer ?? "", c.req.header("x-forwarded-for"), limits.trustProxy);
      const taken = await take(allowance, limits.keyOf(network), limits);
      if (!taken.allowed) {
        limits.metrics?.rateLimited(c.req.path);
        throw new Problem("rate_limited", undefined, { members: { retryAfter: taken.retryAfter } });
      }
    }
    await next();
  });
}

async function take(allowance: Allowance, key: string, { shared, own, metrics }: RateLimits): Promise<Taken> {
  try {
    return await shared.take(allowance, key);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    metrics?.cacheFailed();
    return await own.take(allowance, key);
  }
}
