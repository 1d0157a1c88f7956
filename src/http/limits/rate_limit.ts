/** While the shared cache is down, each replica counts on its own: a high limit is better than an outage. */
import { createMiddleware } from "hono/factory";
import { Problem } from "../../core/errors/problem.ts";
import type { RateLimit, RateLimitResult } from "../../store/rate_limit_store.ts";
import { clientNetwork } from "./client_address.ts";
import type { HttpEnv, RateLimits } from "../dependencies.ts";

const WINDOW_SECONDS = 60;

type LimitedRoute = "note-check" | "withdraw" | "withdraw-status"; // each route has its own counter

export function rateLimit(route: LimitedRoute, limits: RateLimits | undefined) {
  const perMinute = limits === undefined
    ? 0
    : route === "withdraw"
    ? limits.withdrawalsPerMinute
    : limits.noteChecksPerMinute;
  const limit: RateLimit = { name: `rate-${route}`, maxCount: perMinute, windowSeconds: WINDOW_SECONDS };
  return createMiddleware<HttpEnv>(async (c, next) => {
    if (limits !== undefined && perMinute > 0) {
      const network = clientNetwork(
        c.env?.peer ?? "",
        c.req.header("x-forwarded-for"),
        limits.trustedProxies,
      );
      const result = await takeToken(limit, limits.clientKey(network), limits);
      if (!result.allowed) {
        limits.metrics?.recordRateLimited(c.req.path);
        throw new Problem("rate_limited", undefined, { members: { retryAfter: result.retryAfter } });
      }
    }
    await next();
  });
}

async function takeToken(
  limit: RateLimit,
  key: string,
  { store: shared, fallbackStore: own, metrics }: RateLimits,
): Promise<RateLimitResult> {
  try {
    return await shared.consume(limit, key);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    metrics?.recordCacheFailure();
    return await own.consume(limit, key);
  }
}
