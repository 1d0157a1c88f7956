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
  readonly fallbackStore: RateLimitStore; // used while `store` is unavailable
  readonly clientKey: (network: string) => string;
  readonly metrics?: Pick<Metrics, "recordCacheFailure" | "recordRateLimited">;
}

type MetricsAccess = Secret<string> | "public"; // a bearer token, or anyone (on a local network)

export interface RouteDependencies {
  readonly relayer: Relayer;
  readonly warnings: LogThrottle;
  readonly rateLimits?: RateLimits;
  readonly bodyTimeoutMs?: number; // default: 10 s
  readonly maxConcurrentRequests?: number; // default: 1,000
  readonly maxLargeResponses?: number; // default: 200
  /** The time limit for a client that does not read a large response. Default: 30 s. */
  readonly readTimeoutMs?: number;
  readonly metrics?: Metrics;
  readonly appSite?: { respond(request: Request): Promise<Response> }; // undefined: no GET /app/
  readonly metricsAccess?: MetricsAccess; // undefined: no GET /metrics
}

export type HttpEnv = { Variables: { requestId: string }; Bindings: Partial<ConnectionInfo> };
