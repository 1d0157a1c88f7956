/**
 * The relayer's HTTP API: parses, calls `relay`, writes the answer. It decides nothing about money and keeps nothing
 * about callers.
 */
import { type OpenAPIHono, OpenAPIHono as Api } from "@hono/zod-openapi";
import { cors } from "hono/cors";
import { Problem, type ProblemDetail } from "../core/errors.ts";
import type { Relayer } from "../relay/relayer.ts";
import type { Log } from "../telemetry/log.ts";
import { queryGuard } from "./body_guard.ts";
import type { HttpEnv } from "./deps.ts";
import { healthRoutes } from "./health_routes.ts";
import { infoRoutes } from "./info_routes.ts";
import { noteRoutes } from "./note_routes.ts";
import { problemResponse, shownProblem } from "./problem_response.ts";
import { treeRoutes } from "./tree_routes.ts";
import { withdrawRoutes } from "./withdraw_routes.ts";

/** The application with all routes; `app.fetch` is a handler for `Deno.serve`. */
export function createApp(relayer: Relayer, log: Log): OpenAPIHono<HttpEnv> {
  const app = new Api<HttpEnv>({
    defaultHook: (parsed) => {
      if (!parsed.success) throw shapeProblem(parsed.target, parsed.error.issues);
    },
  });
  app.use(async (c, next) => {
    const requestId = crypto.randomUUID();
    c.set("requestId", requestId);
    c.header("x-request-id", requestId);
    c.header("x-content-type-options", "nosniff");
    c.header("cache-control", "no-store");
    await next();
  });
  app.use(cors({
    origin: "*",
    allowMethods: ["GET", "POST"],
    allowHeaders: ["content-type"],
    exposeHeaders: ["retry-after", "x-request-id"],
    maxAge: 86_400,
  }));
  app.use(queryGuard(log));

  const deps = { relayer, log };
  for (const routes of [infoRoutes, noteRoutes, withdrawRoutes, treeRoutes, healthRoutes]) routes(app, deps);
  app.doc31("/openapi.json", {
    openapi: "3.1.0",
    info: {
      title: "tonado relayer",
      version: "1",
      description: "Relayer of fixed-denomination shielded pools on TON.",
    },
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
      log.error("request {requestId} failed: {error}", { requestId, error: error.stack ?? String(error) });
    }
    return problemResponse(c, problem, requestId);
  });
  return app;
}

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
