import type { OpenAPIHono } from "@hono/zod-openapi";
import type { HttpEnv, RouteDependencies } from "../dependencies.ts";
import { responseExamples } from "./examples.ts";
import { createRoute, documentedProblems, jsonResponse } from "./openapi_helpers.ts";
import { livezResponse, readyzResponse } from "./schemas.ts";

const livez = createRoute({
  method: "get",
  path: "/livez",
  tags: ["Health"],
  summary: "Whether the process runs",
  responses: {
    200: jsonResponse(livezResponse, "The process runs", responseExamples.livez),
    ...documentedProblems([]),
  },
});

const { 503: unavailable, ...problems } = documentedProblems([]);

const readyz = createRoute({
  method: "get",
  path: "/readyz",
  tags: ["Health"],
  summary: "Readiness of every pool and dependency, with the reasons for failures",
  responses: {
    ...problems,
    200: jsonResponse(readyzResponse, "Ready", responseExamples.ready),
    503: {
      description: `Not ready; or a problem. ${unavailable.description}`,
      content: { ...jsonResponse(readyzResponse, "").content, ...unavailable.content },
    },
  },
});

export function healthRoutes(app: OpenAPIHono<HttpEnv>, { relayer }: RouteDependencies): void {
  app.openapi(livez, (c) => c.json({ status: "alive" as const }, 200));
  app.openapi(readyz, async (c) => {
    const health = await relayer.health();
    return c.json(health, health.ready ? 200 : 503);
  });
}
