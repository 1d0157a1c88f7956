import type { OpenAPIHono } from "@hono/zod-openapi";
import { assertFieldElement } from "../../core/crypto/field.ts";
import type { HttpEnv, RouteDependencies } from "../dependencies.ts";
import { bodyGuards } from "../limits/body_guards.ts";
import { requestExamples, responseExamples } from "./examples.ts";
import { rateLimit } from "../limits/rate_limit.ts";
import {
  bodyProblems,
  createRoute,
  documentedProblems,
  jsonRequest,
  jsonResponse,
} from "./openapi_helpers.ts";
import { noteCheckBody, noteCheckResponse } from "./schemas.ts";

export function noteRoutes(
  app: OpenAPIHono<HttpEnv>,
  { relayer, warnings, rateLimits: limits, bodyTimeoutMs }: RouteDependencies,
): void {
  const check = createRoute({
    method: "post",
    path: "/note/check",
    tags: ["Notes"],
    summary:
      "Whether a commitment is deposited, or a nullifier hash is spent. Never send both: that links them",
    request: jsonRequest(noteCheckBody, requestExamples.noteCheck),
    middleware: [rateLimit("note-check", limits), ...bodyGuards(warnings, bodyTimeoutMs)],
    responses: {
      200: jsonResponse(
        noteCheckResponse,
        "The results; null for what was not requested",
        responseExamples.noteCheck,
      ),
      ...documentedProblems([...bodyProblems, "unknown_pool", "not_in_field", "rate_limited", "not_ready"]),
    },
  });

  app.openapi(check, async (c) => {
    const { pool, commitment, nullifierHash } = c.req.valid("json");
    if (commitment !== undefined) assertFieldElement(commitment, "commitment");
    if (nullifierHash !== undefined) assertFieldElement(nullifierHash, "nullifierHash");
    return c.json(await relayer.noteState(pool, commitment, nullifierHash), 200);
  });
}
