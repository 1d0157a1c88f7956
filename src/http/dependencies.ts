/** Dependencies of the routes. Types only. */
import type { Secret } from "../core/text/secret.ts";
import type { Relayer } from "../relay/relayer.ts";
import type { RateLimitStore } from "../store/rate_limit_store.ts";
import type { LogThrottle } from "../telemetry/log_throttle.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { ConnectionInfo } from "./listener.ts";

/** Rate limits per client, in requests a minute; 0 means unlimited. */
export interface RateLimits {
  readonly noteChecksPerMinute: number;
  readonly withdrawalsPerMinute: number;
  readonly trustedProxies: number;
  readonly store: RateLimitStore;
  /** The store used while `shared` is unavailable. */
  readonly fallbackStore: RateLimitStore;
  /** Maps a client's network to its rate limit key. */
  readonly clientKey: (network: string) => string;
  readonly metrics?: Pick<Metrics, "recordCacheFailure" | "recordRateLimited">;
}

/** Access to the API's metrics: a bearer token, or everybody (on a local network). */
export type MetricsAccess = Secret<string> | "everybody";

/** Dependencies of every route. */
export interface RouteDependencies {
  readonly relayer: Relayer;
  /** The log for events that clients can trigger. */
  readonly warnings: LogThrottle;
  /** Undefined disables rate limits. */
  readonly rateLimits?: RateLimits;
  /** Time limit for receiving a body; default 10 s. */
  readonly bodyTimeoutMs?: number;
  /** Limit of concurrent requests; default 1,000. */
  readonly maxConcurrentRequests?: number;
  /** Limit of concurrent large responses; default 200. */
  readonly maxLargeResponses?: number;
  /** Time limit for a client that reads nothing of a large response; default 30 s. */
  readonly readTimeoutMs?: number;
  readonly metrics?: Metrics;
  /** Undefined disables GET /metrics. */
  readonly metricsAccess?: MetricsAccess;
}

/** Hono's variables of a request, and the listener's connection information. */
export type HttpEnv = { Variables: { requestId: string }; Bindings: Partial<ConnectionInfo> };
