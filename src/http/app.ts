/**
 * The relayer's HTTP API: parses, calls `relay`, writes the answer. It decides nothing about money and keeps nothing
 * about callers.
 */
import { type OpenAPIHono, OpenAPIHono as Api } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { Problem, type ProblemDetail } from "../core/errors.ts";
import type { Relayer } from "../relay/relayer.ts";
import type { Log } from "../telemetry/log.ts";
import { LogThrottle } from "../telemetry/log_throttle.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { nameRequest } from "../telemetry/trace.ts";
import { answerHeaders } from "./answer_headers.ts";
import { isOfUnsureLength } from "./framing.ts";
import { queryGuard } from "./body_guard.ts";
import type { HttpDeps, HttpEnv } from "./deps.ts";
import { docsRoutes } from "./docs_routes.ts";
import { healthRoutes } from "./health_routes.ts";
import { infoRoutes } from "./info_routes.ts";
import { largeAnswers } from "./large_answers.ts";
import { metricsRoute } from "./metrics_route.ts";
import { noteRoutes } from "./note_routes.ts";
import { bounded, Places } from "./places.ts";
import { problemResponse, shownProblem } from "./problem_response.ts";
import { readyAnswers } from "./ready_answers.ts";
import { tags } from "./route.ts";
import { treeRoutes } from "./tree_routes.ts";
import { withdrawRoutes } from "./withdraw_routes.ts";

/** What the API may be given beside the relayer. */
export type AppOptions = Partial<Omit<HttpDeps, "relayer">>;

/** The application with all routes; `app.fetch(request, { peer, sent })` answers a request. */
export function createApp(relayer: Relayer, log: Log, options: AppOptions = {}): OpenAPIHono<HttpEnv> {
  const { warnings = new LogThrottle(log) } = options;
  const app = new Api<HttpEnv>({
    defaultHook: (parsed) => {
      if (!parsed.success) throw shapeProblem(parsed.target, parsed.error.issues);
    },
  });
  const places = new Places(options.mostUnderWay ?? MOST_UNDER_WAY);
  app.use(measured(app, options.metrics));
  app.use(headers);
  app.use(queryGuard(warnings));
  app.use(bounded(places));

  for (const path of LARGE) app.use(path, largeAnswers(options.mostLargeAnswers, options.readPatienceMs));

  const deps = { ...options, relayer, warnings };
  for (
    const routes of [
      infoRoutes,
      noteRoutes,
      withdrawRoutes,
      treeRoutes,
      healthRoutes,
      metricsRoute,
      docsRoutes,
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
    const problem = shownProblem(error);
    const requestId = c.get("requestId");
    if (problem.code === "internal") {
      warnings.error("request {requestId} failed: {error}", {
        requestId,
        error: error.stack ?? String(error),
      });
    }
    return problemResponse(c, problem, requestId);
  });
  const ready = readyAnswers(relayer, { places, metrics: options.metrics });
  const routed = app.fetch;
  app.fetch = (request, ...rest) =>
    (isOfUnsureLength(request) ? undefined : ready(request)) ?? routed(request, ...rest);
  return app;
}

const preflight = cors({
  origin: "*",
  allowMethods: ["GET", "POST"],
  allowHeaders: ["content-type"],
  maxAge: 86_400,
});

/**
 * The headers of every answer, refusals too. They are written when the answer is there: headers that are prepared before
 * cost an answer several times as much as all the rest of it.
 */
const headers: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const requestId = crypto.randomUUID();
  c.set("requestId", requestId);
  if (c.req.method === "OPTIONS") c.res = await preflight(c, next) as Response;
  else await next();
  const { headers } = c.res;
  const own = headers.get("cache-control");
  for (const [name, value] of Object.entries(answerHeaders(requestId))) headers.set(name, value);
  if (own !== null) headers.set("cache-control", own);
  if (isOfUnsureLength(c.req.raw)) headers.set("connection", "close");
};

/** What may be of hundreds of kilobytes. */
const LARGE = ["/docs/swagger-ui.js", "/docs/swagger-ui.css", "/tree/commitments", "/openapi.json"];
const MOST_UNDER_WAY = 1_000;

/** Counts and times each request, and names its span, by its route: what a client wrote as a path is nobody's label. */
function measured(app: OpenAPIHono<HttpEnv>, metrics: Metrics | undefined): MiddlewareHandler<HttpEnv> {
  let routes: Set<string> | undefined;
  return async (c, next) => {
    routes ??= new Set(app.routes.filter(({ method }) => method !== "ALL").map(({ path }) => path));
    const route = routes.has(c.req.path) ? c.req.path : "other";
    const method = METHODS.has(c.req.method) ? c.req.method : "other";
    nameRequest(method, route);
    const began = performance.now();
    await next();
    metrics?.request(route, method, c.res.status, (performance.now() - began) / 1000);
  };
}

const METHODS = new Set(["GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "PATCH"]);

function shapeProblem(target: string, issues: readonly { path: PropertyKey[]; message: string }[]): Problem {
  const errors: ProblemDetail[] = issues.map(({ path, message }) => ({
    pointer: target === "json" ? path.map((part) => `/${pointerPart(part)}`).join("") : path.join("."),
    detail: message,
  }));
  return new Problem("invalid_request", undefined, { errors });
}

/** RFC 6901, section 3. */
function pointerPart(part: PropertyKey): string {
  return String(part).replaceAll("~", "~0").replaceAll("/", "~1");
}

function allowedMethods(app: OpenAPIHono<HttpEnv>, path: string): string[] {
  const methods = new Set(app.routes.filter((route) => route.path === path).map(({ method }) => method));
  methods.delete("ALL");
  return [...methods].flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]);
}
