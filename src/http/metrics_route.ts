/** GET /metrics: for the operator's Prometheus alone, by a token beside the API, or on a listener of its own. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Secret } from "../core/secret.ts";
import { Problem } from "../core/errors.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { HttpDeps, HttpEnv } from "./deps.ts";

/** Adds the route where the metrics have readers; without them it is as if there were none. */
export function metricsRoute(app: OpenAPIHono<HttpEnv>, { metrics, metricsReader: reader }: HttpDeps): void {
  if (metrics === undefined || reader === undefined) return;
  app.get("/metrics", async (c) => {
    if (reader !== "everybody" && !isToken(c.req.header("authorization"), reader)) {
      throw new Problem("not_found");
    }
    return await metricsResponse(metrics);
  });
}

/** Answers requests on the metrics' own listener. */
export async function answerMetrics(request: Request, metrics: Metrics): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname !== "/metrics" || request.method !== "GET") return new Response(null, { status: 404 });
  return await metricsResponse(metrics);
}

async function metricsResponse(metrics: Metrics): Promise<Response> {
  return new Response(await metrics.text(), { headers: { "content-type": metrics.contentType } });
}

/** Compares digests, so that neither length nor prefix of the token shows in the time. */
function isToken(authorization: string | undefined, token: Secret<string>): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(authorization ?? ""), digest(`Bearer ${token.reveal()}`));
}
