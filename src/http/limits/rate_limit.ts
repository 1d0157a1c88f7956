/** While the shared cache is down, each replica counts on its own: a high limit is better than an outage. */
import { createMiddleware } from "hono/factory";
import { Problem } from "../../core/errors/problem.ts";
import type { RateLimit, RateLimitResult } from "../../store/rate_limit_store.ts";
import { clientNetwork } from "./client_address.ts";
import type { HttpEnv, RateLimits } from "../dependencies.ts";

const WINDOW_SECONDS = 60;

type LimitedRoute = "note-check" | "withdraw" | "withdraw-status"; // each route has its own counter

export function rateLimit(route: LimitedRoute, limits: RateLimits | undefined) {
  const times = limits === undefined
    ? 0
    : route === "withdraw"
    ? limits.withdrawalsPerMinute
    : limits.noteChecksPerMinute;
  const allowance: RateLimit = { name: `rate-${route}`, maxCount: times, windowSeconds: WINDOW_SECONDS };
  return createMiddleware<HttpEnv>(async (c, next) => {
    if (limits !== undefined && times > 0) {
      const network = clientNetwork(
        c.env?.peer ?? "",
        c.req.header("x-forwarded-for"),
        limits.trustedProxies,
      );
      const result = await takeToken(allowance, limits.clientKey(network), limits);
      if (!result.allowed) {
        limits.metrics?.recordRateLimited(c.req.path);
        throw new Problem("rate_limited", undefined, { members: { retryAfter: result.retryAfter } });
      }
    }
    await next();
  });
}

async function takeToken(
  allowance: RateLimit,
  key: string,
  { store: shared, fallbackStore: own, metrics }: RateLimits,
): Promise<RateLimitResult> {
  try {
    return await shared.consume(allowance, key);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    metrics?.recordCacheFailure();
    return await own.consume(allowance, key);
  }
}
