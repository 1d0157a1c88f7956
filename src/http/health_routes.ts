/** GET /livez and GET /readyz. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { HttpDeps, HttpEnv } from "./deps.ts";
import { responseExamples } from "./examples.ts";
import { createRoute, json, problemAnswers } from "./route.ts";
import { livezAnswer, readyzAnswer } from "./schemas.ts";

const livez = createRoute({
  method: "get",
  path: "/livez",
  tags: ["Health"],
  summary: "Whether the process runs",
  responses: { 200: json(livezAnswer, "It does", responseExamples.livez), ...problemAnswers([]) },
});

const { 503: unavailable, ...problems } = problemAnswers([]);

const readyz = createRoute({
  method: "get",
  path: "/readyz",
  tags: ["Health"],
  summary: "Whether every pool can be served, and what it rests on; what is not so says why",
  responses: {
    ...problems,
    200: json(readyzAnswer, "Ready", responseExamples.ready),
    503: {
      description: `Not ready; or a problem. ${unavailable.description}`,
      content: { ...json(readyzAnswer, "").content, ...unavailable.content },
    },
  },
});

/** Adds the routes. */
export function healthRoutes(app: OpenAPIHono<HttpEnv>, { relayer }: HttpDeps): void {
  app.openapi(livez, (c) => c.json({ status: "alive" as const }, 200));
  app.openapi(readyz, async (c) => {
    const health = await relayer.health();
    return c.json(health, health.ready ? 200 : 503);
  });
}
