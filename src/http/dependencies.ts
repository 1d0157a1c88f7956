import type { Secret } from "../core/text/secret.ts";
import type { Relayer } from "../relay/relayer.ts";
import type { RateLimitStore } from "../store/rate_limit_store.ts";
import type { LogThrottle } from "../telemetry/log_throttle.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { ConnectionInfo } from "./listener.ts";

/** Limits per client and minute; 0: no limit. */
export interface RateLimits {
  readonly noteChecksPerMinute: number;
  readonly withdrawalsPerMinute: number;
  readonly trustedProxies: number;
  readonly store: RateLimitStore;
  /** Used while `store` is unavailable. */
  readonly fallbackStore: RateLimitStore;
  readonly clientKey: (network: string) => string;
  readonly metrics?: Pick<Metrics, "recordCacheFailure" | "recordRateLimited">;
}

/** A bearer token, or anyone (on a local network). */
type MetricsAccess = Secret<string> | "public";

export interface RouteDependencies {
  readonly relayer: Relayer;
  readonly warnings: LogThrottle;
  readonly rateLimits?: RateLimits;
  /** Default: 10 s. */
  readonly bodyTimeoutMs?: number;
  /** Default: 1,000. */
  readonly maxConcurrentRequests?: number;
  /** Default: 200. */
  readonly maxLargeResponses?: number;
  /** For a client that does not read a large response. Default: 30 s. */
  readonly readTimeoutMs?: number;
  readonly metrics?: Metrics;
  /** undefined: no GET /app/. */
  readonly appSite?: { respond(request: Request): Promise<Response> };
  /** undefined: no GET /metrics. */
  readonly metricsAccess?: MetricsAccess;
}

export type HttpEnv = { Variables: { requestId: string }; Bindings: Partial<ConnectionInfo> };
