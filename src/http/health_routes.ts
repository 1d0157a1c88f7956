/** GET /livez and GET /readyz. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { HttpDeps, HttpEnv } from "./deps.ts";
import { createRoute, json } from "./route.ts";
import { livezAnswer, readyzAnswer } from "./schemas.ts";

const livez = createRoute({
  method: "get",
  path: "/livez",
  summary: "Whether the process runs",
  responses: { 200: json(livezAnswer, "It does") },
});

const readyz = createRoute({
  method: "get",
  path: "/readyz",
  summary: "Whether every pool can be served, and if not, why",
  responses: { 200: json(readyzAnswer, "Ready"), 503: json(readyzAnswer, "Not ready") },
});

/** Adds the routes. */
export function healthRoutes(app: OpenAPIHono<HttpEnv>, { relayer }: HttpDeps): void {
  app.openapi(livez, (c) => c.json({ status: "alive" as const }, 200));
  app.openapi(readyz, (c) => {
    const readiness = relayer.readiness();
    return c.json(readiness, readiness.ready ? 200 : 503);
  });
}
