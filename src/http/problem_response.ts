/**
 * Problems as RFC 9457 documents. Only the codes that the interface documents leave here: what else goes wrong inside is
 * `not_ready` when waiting helps, and else `internal` with a request id and nothing of the cause.
 */
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { Problem, problems } from "../core/errors.ts";
import { httpProblems } from "../core/http_problems.ts";

/** Codes of the HTTP interface. */
export const httpProblemCodes = Object.keys(httpProblems) as (keyof typeof httpProblems)[];

const CONTENT_TYPE = "application/problem+json";
/** Seconds, for a 429 or 503 that names none itself. */
const RETRY_AFTER = 5;

/** The problem that is shown for an error of any kind. */
export function shownProblem(error: unknown): Problem {
  if (error instanceof Problem) {
    if ((httpProblemCodes as readonly string[]).includes(error.code)) return error;
    // Its title, not its message: that names the operator's endpoint.
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

/** The response that carries a problem. */
export function problemResponse(c: Context, problem: Problem, requestId: string): Response {
  const { status, members } = problem;
  const headers: Record<string, string> = { "content-type": CONTENT_TYPE };
  if (status === 429 || status === 503) headers["retry-after"] = String(members.retryAfter ?? RETRY_AFTER);
  if (status === 405) headers.allow = String(members.allow);
  return c.body(JSON.stringify(documentOf(problem, requestId)), status as 400, headers);
}

/** `not_ready` where no route answers: while the program starts, and while it ends. */
export function notReadyResponse(detail: string, headers: { readonly [name: string]: string }): Response {
  const document = documentOf(new Problem("not_ready", detail));
  return Response.json(document, {
    status: problems.not_ready.status,
    headers: { "retry-after": String(RETRY_AFTER), ...headers, "content-type": CONTENT_TYPE },
  });
}

function documentOf({ code, status, errors, members, message, todo }: Problem, requestId?: string) {
  return {
    type: `urn:tonado:problem:${code}`,
    title: problems[code].title,
    status,
    detail: message === problems[code].title ? todo : `${message}. ${todo}`,
    code,
    ...(errors.length > 0 ? { errors } : {}),
    ...members,
    ...(code === "internal" ? { requestId } : {}),
  };
}
