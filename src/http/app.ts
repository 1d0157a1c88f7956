/** The relayer's HTTP API. It holds no policy and stores nothing about clients. */
import { type OpenAPIHono, OpenAPIHono as Api } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { Problem, type ProblemDetail } from "../core/errors/problem.ts";
import { monotonicClock } from "../core/time/clock.ts";
import type { Relayer } from "../relay/relayer.ts";
import type { Log } from "../telemetry/log.ts";
import { LogThrottle } from "../telemetry/log_throttle.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { nameRequestSpan } from "../telemetry/trace.ts";
import { responseHeaders } from "./responses/response_headers.ts";
import { hasAmbiguousLength } from "./limits/request_framing.ts";
import { querySecretGuard } from "./limits/body_guards.ts";
import type { HttpEnv, RouteDependencies } from "./dependencies.ts";
import { appRoutes } from "./routes/app_routes.ts";
import { docsRoutes } from "./routes/docs_routes.ts";
import { healthRoutes } from "./routes/health_routes.ts";
import { infoRoutes } from "./routes/info_routes.ts";
import { limitLargeResponses } from "./responses/response_backpressure.ts";
import { metricsRoutes } from "./routes/metrics_routes.ts";
import { noteRoutes } from "./routes/note_routes.ts";
import { ConcurrencyLimit, limitConcurrency } from "./limits/concurrency_limit.ts";
import { problemResponse, toPublicProblem } from "./responses/problem_response.ts";
import { createFastPath } from "./responses/fast_path.ts";
import { tags } from "./routes/openapi_helpers.ts";
import { treeRoutes } from "./routes/tree_routes.ts";
import { withdrawRoutes } from "./routes/withdraw_routes.ts";

export type AppOptions = Partial<Omit<RouteDependencies, "relayer">>;

export interface App {
  fetch(request: Request, from?: HttpEnv["Bindings"]): Response | Promise<Response>;
}

export function createApp(relayer: Relayer, log: Log, options: AppOptions = {}): App {
  const { warnings = new LogThrottle(log), metrics } = options;
  const requestLimit = new ConcurrencyLimit(options.maxConcurrentRequests ?? MAX_CONCURRENT_REQUESTS);
  const routes = createRoutes({ ...options, relayer, warnings }, requestLimit);
  const fastPath = createFastPath(relayer, { requestLimit, metrics });
  return {
    fetch: (request, from) =>
      (hasAmbiguousLength(request) ? undefined : fastPath(request)) ?? routes.fetch(request, from),
  };
}

function createRoutes(deps: RouteDependencies, requestLimit: ConcurrencyLimit): OpenAPIHono<HttpEnv> {
  const { warnings } = deps;
  const app = new Api<HttpEnv>({
    defaultHook: (parsed) => {
      if (!parsed.success) throw validationProblem(parsed.target, parsed.error.issues);
    },
  });
  app.use(requestMetrics(app, deps.metrics));
  app.use(responseHeadersMiddleware);
  app.use(querySecretGuard(warnings));
  app.use(limitConcurrency(requestLimit));

  for (const path of LARGE_RESPONSE_PATHS) {
    app.use(path, limitLargeResponses(deps.maxLargeResponses, deps.readTimeoutMs));
  }

  for (
    const routes of [
      infoRoutes,
      noteRoutes,
      withdrawRoutes,
      treeRoutes,
      healthRoutes,
      metricsRoutes,
      docsRoutes,
      appRoutes,
    ]
  ) {
    routes(app, deps);
  }
  app.doc31("/openapi.json", {
    openapi: "3.1.0",
    info: {
      title: "tonado relayer",
      version: "1",
      description: "Relayer of fixed-denomination shielded pools on TON.",
    },
    tags: [...tags],
  });

  app.notFound((c) => {
    const allow = allowedMethods(app, c.req.path);
    const problem = allow.length === 0
      ? new Problem("not_found")
      : new Problem("method_not_allowed", undefined, {
        members: { allow: allow.join(", ") },
      });
    return problemResponse(c, problem, c.get("requestId"));
  });
  app.onError((error, c) => {
    const problem = toPublicProblem(error);
    const requestId = c.get("requestId");
    if (problem.code === "internal") {
      warnings.error("request {requestId} failed: {error}", {
        requestId,
        error: error.stack ?? String(error),
      });
    }
    return problemResponse(c, problem, requestId);
  });
  return app;
}

const preflight = cors({
  origin: "*",
  allowMethods: ["GET", "POST"],
  allowHeaders: ["content-type"],
  maxAge: 86_400,
});

/** Sets headers on the finished response: preparing them would be several times slower. */
const responseHeadersMiddleware: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const requestId = crypto.randomUUID();
  c.set("requestId", requestId);
  if (c.req.method === "OPTIONS") c.res = await preflight(c, next) as Response;
  else await next();
  const { headers } = c.res;
  const own = headers.get("cache-control");
  for (const [name, value] of Object.entries(responseHeaders(requestId))) headers.set(name, value);
  if (own !== null) headers.set("cache-control", own);
  if (hasAmbiguousLength(c.req.raw)) headers.set("connection", "close");
};

const LARGE_RESPONSE_PATHS = [
  "/docs/swagger-ui.js",
  "/docs/swagger-ui.css",
  "/tree/commitments",
  "/spent",
  "/openapi.json",
  "/app/*",
];
const MAX_CONCURRENT_REQUESTS = 1_000;

/** Labels are routes, never a path chosen by a client. */
function requestMetrics(app: OpenAPIHono<HttpEnv>, metrics: Metrics | undefined): MiddlewareHandler<HttpEnv> {
  let routes: Set<string> | undefined;
  return async (c, next) => {
    routes ??= new Set(app.routes.filter(({ method }) => method !== "ALL").map(({ path }) => path));
    const route = routes.has(c.req.path) ? c.req.path : "other";
    const method = KNOWN_METHODS.has(c.req.method) ? c.req.method : "other";
    nameRequestSpan(method, route);
    const startedAt = monotonicClock.now();
    await next();
    metrics?.recordRequest(route, method, c.res.status, (monotonicClock.now() - startedAt) / 1000);
  };
}

const KNOWN_METHODS = new Set(["GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "PATCH"]);

function validationProblem(
  target: string,
  issues: readonly { path: PropertyKey[]; message: string }[],
): Problem {
  const errors: ProblemDetail[] = issues.map(({ path, message }) => ({
    pointer: target === "json"
      ? path.map((part) => `/${escapePointerSegment(part)}`).join("")
      : path.join("."),
    detail: message,
  }));
  return new Problem("invalid_request", undefined, { errors });
}

/** Escapes a JSON Pointer segment (RFC 6901, section 3). */
function escapePointerSegment(part: PropertyKey): string {
  return String(part).replaceAll("~", "~0").replaceAll("/", "~1");
}

function allowedMethods(app: OpenAPIHono<HttpEnv>, path: string): string[] {
  const methods = new Set(app.routes.filter((route) => route.path === path).map(({ method }) => method));
  methods.delete("ALL");
  return [...methods].flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]);
}
