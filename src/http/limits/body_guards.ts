import { createMiddleware } from "hono/factory";
import { bodyLimit } from "hono/body-limit";
import { Problem } from "../../core/errors/problem.ts";
import { withDeadline } from "../../core/time/deadline.ts";
import type { LogThrottle } from "../../telemetry/log_throttle.ts";
import { containsNoteSecret, containsNoteString } from "./note_secrets.ts";

export const MAX_BODY_BYTES = 32 * 1024;

/** Accepts the same parameters as the schema validation, which skips bodies that it does not recognize. */
const JSON_TYPE = /^application\/json(?:;\s*[a-z0-9-]+=[^;]+)*$/i;

const mediaTypeGuard = createMiddleware(async (c, next) => {
  if (!JSON_TYPE.test(c.req.header("content-type") ?? "")) throw new Problem("unsupported_media_type");
  await next();
});

const BODY_TIMEOUT_MS = 10_000;

export function bodyGuards(warnings: LogThrottle, timeoutMs: number = BODY_TIMEOUT_MS) {
  return [mediaTypeGuard, sizeGuard(timeoutMs), bodySecretGuard(warnings, timeoutMs)] as const;
}

/** The runtime enforces a Content-Length; touching the stream would make reading several times slower. */
function sizeGuard(timeoutMs: number) {
  const measured = streamedSizeGuard(timeoutMs);
  return createMiddleware(async (c, next) => {
    const length = c.req.header("content-length");
    if (length === undefined || c.req.header("transfer-encoding") !== undefined) {
      return await measured(c, next);
    }
    if (Number(length) > MAX_BODY_BYTES) throw new Problem("body_too_large");
    await next();
  });
}

function streamedSizeGuard(timeoutMs: number) {
  return createMiddleware(async (c, next) => {
    const read = Promise.withResolvers<void>();
    let isRead = false;
    const answered = streamLimit(c, () => {
      isRead = true;
      read.resolve();
      return next();
    });
    try {
      await withBodyTimeout(Promise.race([read.promise, answered]), timeoutMs);
      await answered;
    } catch (error) {
      throw isRead ? error : truncatedBodyProblem(error);
    }
  });
}

/** A slow sender must not hold a request slot. */
function withBodyTimeout<T>(arrival: Promise<T>, timeoutMs: number): Promise<T> {
  return withDeadline(timeoutMs, { onTimeout: () => new Problem("request_timeout") }, () => arrival);
}

const streamLimit = bodyLimit({
  maxSize: MAX_BODY_BYTES,
  onError: () => {
    throw new Problem("body_too_large");
  },
});

function truncatedBodyProblem(cause: unknown): Problem {
  return cause instanceof Problem ? cause : new Problem("invalid_request", "body is incomplete", { cause });
}

/** The warning contains nothing of the body. */
function bodySecretGuard(warnings: LogThrottle, timeoutMs: number) {
  return createMiddleware(async (c, next) => {
    const text = await withBodyTimeout(c.req.text(), timeoutMs).catch((error) => {
      throw truncatedBodyProblem(error);
    });
    const value = tryParseJson(text);
    if (value === undefined ? containsNoteString(text) : containsNoteSecret(value)) {
      warnings.warning("rejected a body for {path} that contains note secrets", { path: c.req.path });
      throw new Problem("secret_in_body");
    }
    if (value === undefined) {
      throw new Problem("invalid_request", "body is not JSON", {
        errors: [{ pointer: "", detail: "is not JSON" }],
      });
    }
    await next();
  });
}

export function querySecretGuard(warnings: LogThrottle) {
  return createMiddleware(async (c, next) => {
    if (containsNoteSecret(c.req.queries())) {
      warnings.warning("rejected a query that contains note secrets");
      throw new Problem("secret_in_body");
    }
    await next();
  });
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
