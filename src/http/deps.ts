/** What routes are given. Types only. */
import type { Secret } from "../core/secret.ts";
import type { Relayer } from "../relay/relayer.ts";
import type { Shared } from "../store/shared.ts";
import type { LogThrottle } from "../telemetry/log_throttle.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Asker } from "./listen.ts";

/** What rate limits are made of. Times a minute, 0: no bound. */
export interface RateLimits {
  readonly noteCheck: number;
  readonly withdraw: number;
  readonly trustProxy: number;
  readonly shared: Shared;
  /** Counts while `shared` does not answer. */
  readonly own: Shared;
  /** Network of a client to the key that it is counted under. */
  readonly keyOf: (network: string) => string;
  readonly metrics?: Pick<Metrics, "cacheFailed" | "rateLimited">;
}

/** Whom the API tells its metrics: who has the token, or everybody (on a local network). */
export type MetricsReader = Secret<string> | "everybody";

/** What every route gets. */
export interface HttpDeps {
  readonly relayer: Relayer;
  /** For what a stranger can cause. */
  readonly warnings: LogThrottle;
  /** undefined: everybody may ask as often as they like. */
  readonly limits?: RateLimits;
  /** How long a body may take to arrive; default ten seconds. */
  readonly bodyPatienceMs?: number;
  /** Requests that may be under way at once; default 1,000. */
  readonly mostUnderWay?: number;
  /** Large answers that may be under way at once; default 200. */
  readonly mostLargeAnswers?: number;
  /** How long nothing of a large answer may be read; default thirty seconds. */
  readonly readPatienceMs?: number;
  /** undefined: requests are not counted. */
  readonly metrics?: Metrics;
  /** undefined: GET /metrics is no route of the API. */
  readonly metricsReader?: MetricsReader;
}

/** Hono's variables of one request, and what the listener tells of it. */
export type HttpEnv = { Variables: { requestId: string }; Bindings: Partial<Asker> };
