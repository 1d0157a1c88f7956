import { createRoute, z } from "@hono/zod-openapi";
import { type ProblemCode, problems } from "../../core/errors/problem.ts";
import { problemSchema } from "./schemas.ts";

type Schema = z.ZodType;

export function jsonResponse<S extends Schema>(schema: S, description: string, example?: unknown) {
  return { description, content: { "application/json": { schema, ...withExample(example) } } };
}

export function withBytes<R extends { content: object }>(response: R) {
  const bytes = { schema: z.string().openapi({ type: "string", format: "binary" }) };
  return { ...response, content: { ...response.content, "application/octet-stream": bytes } };
}

export function jsonRequest<S extends Schema>(schema: S, example?: unknown) {
  return { body: { required: true, content: { "application/json": { schema, ...withExample(example) } } } };
}

function withExample(example: unknown) {
  return example === undefined ? {} : { example };
}

export const tags = [
  { name: "Relayer", description: "Network, fees and pools" },
  { name: "Withdrawals", description: "Submit a withdrawal and follow it" },
  { name: "Notes", description: "Whether a note is deposited or spent" },
  { name: "Tree", description: "The commitments of a pool" },
  { name: "Health", description: "Liveness and readiness" },
] as const;

const retryAfter = z.object({
  "retry-after": z.int().positive().openapi({ description: "seconds to wait" }),
});

const commonProblems = [
  "secret_in_body",
  "overloaded",
  "not_ready",
  "internal",
] as const satisfies readonly ProblemCode[];

export function documentedProblems(codes: readonly ProblemCode[]) {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of new Set([...codes, ...commonProblems])) {
    const { status } = problems[code];
    byStatus.set(status, [...byStatus.get(status) ?? [], code]);
  }
  const problemsByStatus = Object.fromEntries([...byStatus].map(([status, names]) => [status, {
    description: [
      ...names.map((code) => `\`${code}\`: ${problems[code].title}. ${problems[code].hint}`),
      ...(status === 400 ? [MALFORMED_HEAD] : []),
    ].join("\n\n"),
    content: { "application/problem+json": { schema: problemSchema } },
    ...(status === 429 || status === 503 ? { headers: retryAfter } : {}),
  }]));
  const ofServer: Partial<typeof problemsByStatus[string]> = { description: HEAD_TOO_LARGE };
  return { ...problemsByStatus, 414: ofServer, 431: ofServer } as typeof problemsByStatus;
}

const MALFORMED_HEAD = "Without a body: the request is not HTTP, or its head is too large.";
const HEAD_TOO_LARGE =
  "Without a body: the request's URL or headers are too large, or the headers too many. Deno 2.9 responds with 400 instead.";

export const bodyProblems = [
  "invalid_request",
  "secret_in_body",
  "request_timeout",
  "body_too_large",
  "unsupported_media_type",
] as const satisfies readonly ProblemCode[];

export { createRoute };
