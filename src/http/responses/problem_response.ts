/** Problem responses (RFC 9457). Undocumented errors become `not_ready` or `internal`, without a cause. */
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { Problem, problems } from "../../core/errors/problem.ts";
import { httpProblems } from "../../core/errors/http_problems.ts";

export const httpProblemCodes = Object.keys(httpProblems) as (keyof typeof httpProblems)[];

const PROBLEM_CONTENT_TYPE = "application/problem+json";
const DEFAULT_RETRY_AFTER_SECONDS = 5;

export function toPublicProblem(error: unknown): Problem {
  if (error instanceof Problem) {
    if ((httpProblemCodes as readonly string[]).includes(error.code)) return error;
    // The title, not the message: the message names the operator's endpoint.
    if (error.status === 503) return new Problem("not_ready", problems[error.code].title, { cause: error });
  }
  if (error instanceof HTTPException && error.status === 400) {
    return new Problem("invalid_request", "request is malformed", { cause: error });
  }
  if (error instanceof HTTPException && error.status === 415) {
    return new Problem("unsupported_media_type", undefined, { cause: error });
  }
  return new Problem("internal", undefined, { cause: error });
}

export function problemResponse(c: Context, problem: Problem, requestId: string): Response {
  const { status, members } = problem;
  const headers: Record<string, string> = { "content-type": PROBLEM_CONTENT_TYPE };
  if (status === 429 || status === 503) {
    headers["retry-after"] = String(members.retryAfter ?? DEFAULT_RETRY_AFTER_SECONDS);
  }
  if (status === 405) headers.allow = String(members.allow);
  return c.body(JSON.stringify(problemDocument(problem, requestId)), status as 400, headers);
}

export function notReadyResponse(detail: string, headers: { readonly [name: string]: string }): Response {
  const document = problemDocument(new Problem("not_ready", detail));
  return Response.json(document, {
    status: problems.not_ready.status,
    headers: {
      "retry-after": String(DEFAULT_RETRY_AFTER_SECONDS),
      ...headers,
      "content-type": PROBLEM_CONTENT_TYPE,
    },
  });
}

function problemDocument(
  { code, status, errors, members, message, hint }: Problem,
  requestId?: string,
) {
  return {
    type: `urn:tonado:problem:${code}`,
    title: problems[code].title,
    status,
    detail: message === problems[code].title ? hint : `${message}. ${hint}`,
    code,
    ...(errors.length > 0 ? { errors } : {}),
    ...members,
    ...(code === "internal" ? { requestId } : {}),
  };
}
