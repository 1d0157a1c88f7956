/** POST /note/check. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import { assertFieldElement } from "../core/field.ts";
import type { HttpDeps, HttpEnv } from "./deps.ts";
import { bodyGuards } from "./body_guard.ts";
import { requestExamples, responseExamples } from "./examples.ts";
import { rateLimit } from "./rate_limit.ts";
import { bodyProblems, createRoute, json, jsonBody, problemAnswers } from "./route.ts";
import { noteAnswer, noteCheckBody } from "./schemas.ts";

/** Adds the route. */
export function noteRoutes(
  app: OpenAPIHono<HttpEnv>,
  { relayer, warnings, limits, bodyPatienceMs }: HttpDeps,
): void {
  const check = createRoute({
    method: "post",
    path: "/note/check",
    tags: ["Notes"],
    summary:
      "Whether a commitment is deposited, or a nullifier hash spent; never ask both at once, that links them",
    request: jsonBody(noteCheckBody, requestExamples.noteCheck),
    middleware: [rateLimit("note-check", limits), ...bodyGuards(warnings, bodyPatienceMs)],
    responses: {
      200: json(noteAnswer, "What is known; null for what was not asked", responseExamples.noteCheck),
      ...problemAnswers([...bodyProblems, "unknown_pool", "not_in_field", "rate_limited", "not_ready"]),
    },
  });

  app.openapi(check, async (c) => {
    const { pool, commitment, nullifierHash } = c.req.valid("json");
    if (commitment !== undefined) assertFieldElement(commitment, "commitment");
    if (nullifierHash !== undefined) assertFieldElement(nullifierHash, "nullifierHash");
    return c.json(await relayer.noteState(pool, commitment, nullifierHash), 200);
  });
}
