import { createHash, timingSafeEqual } from "node:crypto";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Secret } from "../../core/text/secret.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { HttpEnv, RouteDependencies } from "../dependencies.ts";

export function metricsRoutes(
  app: OpenAPIHono<HttpEnv>,
  { metrics, metricsAccess: reader }: RouteDependencies,
): void {
  if (metrics === undefined || reader === undefined) return;
  app.get("/metrics", async (c) => {
    if (reader !== "public" && !isAuthorized(c.req.header("authorization"), reader)) {
      throw new Problem("not_found");
    }
    return await metricsResponse(metrics);
  });
}

export async function handleMetricsRequest(request: Request, metrics: Metrics): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname !== "/metrics" || request.method !== "GET") return new Response(null, { status: 404 });
  return await metricsResponse(metrics);
}

async function metricsResponse(metrics: Metrics): Promise<Response> {
  return new Response(await metrics.text(), { headers: { "content-type": metrics.contentType } });
}

/** Compares digests, so that timing reveals neither the length nor a prefix of the token. */
function isAuthorized(authorization: string | undefined, token: Secret<string>): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(authorization ?? ""), digest(`Bearer ${token.reveal()}`));
}
