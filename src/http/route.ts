/** A route with the problems that it documents. */
import { createRoute, z } from "@hono/zod-openapi";
import { type ProblemCode, problems } from "../core/errors.ts";
import { problemAnswer } from "./schemas.ts";

type Schema = z.ZodType;

/** A JSON response. */
export function json<S extends Schema>(schema: S, description: string) {
  return { description, content: { "application/json": { schema } } };
}

/** A required JSON body. */
export function jsonBody<S extends Schema>(schema: S) {
  return { body: { required: true, content: { "application/json": { schema } } } };
}

const retryAfter = z.object({
  "retry-after": z.int().positive().openapi({ description: "seconds to wait" }),
});

/** A note in the query, a flood, a program that starts or ends or has no store, a fault of ours. */
const always = [
  "secret_in_body",
  "overloaded",
  "not_ready",
  "internal",
] as const satisfies readonly ProblemCode[];

/** Problem responses by status, each listing its codes. What may always happen is among them. */
export function problemAnswers(codes: readonly ProblemCode[]) {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of new Set([...codes, ...always])) {
    const { status } = problems[code];
    byStatus.set(status, [...byStatus.get(status) ?? [], code]);
  }
  return Object.fromEntries([...byStatus].map(([status, names]) => [status, {
    description: names.map((code) => `\`${code}\`: ${problems[code].title}. ${problems[code].todo}`).join(
      "\n\n",
    ),
    content: { "application/problem+json": { schema: problemAnswer } },
    ...(status === 429 || status === 503 ? { headers: retryAfter } : {}),
  }]));
}

/** Problems of every route with a JSON body. */
export const bodyProblems = [
  "invalid_request",
  "secret_in_body",
  "request_timeout",
  "body_too_large",
  "unsupported_media_type",
] as const satisfies readonly ProblemCode[];

export { createRoute };
