/** What a JSON body must pass before its shape is looked at: media type, size, syntax, and no note in it. */
import { createMiddleware } from "hono/factory";
import { bodyLimit } from "hono/body-limit";
import { Problem } from "../core/errors.ts";
import type { LogThrottle } from "../telemetry/log_throttle.ts";
import { carriesSecret, holdsNote } from "./secret_guard.ts";

/** Bytes of a body at most. */
export const LONGEST_BODY = 32 * 1024;

/** Strict about parameters, as the validation of shapes is: what it would not read must not pass here. */
const JSON_TYPE = /^application\/json(?:;\s*[a-z0-9-]+=[^;]+)*$/i;

/** Refuses what is no JSON with `unsupported_media_type`. */
const mediaTypeGuard = createMiddleware(async (c, next) => {
  if (!JSON_TYPE.test(c.req.header("content-type") ?? "")) throw new Problem("unsupported_media_type");
  await next();
});

/** How long a body may take to arrive. */
const PATIENCE_MS = 10_000;

/** What every JSON body must pass. @param patienceMs how long it may take to arrive */
export function bodyGuards(warnings: LogThrottle, patienceMs: number = PATIENCE_MS) {
  return [mediaTypeGuard, sizeGuard(patienceMs), secretGuard(warnings, patienceMs)] as const;
}

/**
 * Refuses a body over {@link LONGEST_BODY} with `body_too_large`, without reading the rest of it. Where the head tells the
 * length the runtime reads no more than that, and the body is left alone: looking at its stream makes reading it cost
 * several times as much.
 */
function sizeGuard(patienceMs: number) {
  const measured = measuredBody(patienceMs);
  return createMiddleware(async (c, next) => {
    const length = c.req.header("content-length");
    if (length === undefined || c.req.header("transfer-encoding") !== undefined) {
      return await measured(c, next);
    }
    if (Number(length) > LONGEST_BODY) throw new Problem("body_too_large");
    await next();
  });
}

/** Reads a body of unknown length as far as it may be long. */
function measuredBody(patienceMs: number) {
  return createMiddleware(async (c, next) => {
    const read = Promise.withResolvers<void>();
    let isRead = false;
    const answered = limited(c, () => {
      isRead = true;
      read.resolve();
      return next();
    });
    try {
      await inTime(Promise.race([read.promise, answered]), patienceMs);
      await answered;
    } catch (error) {
      throw isRead ? error : brokenOff(error);
    }
  });
}

/** @throws {Problem} `request_timeout`: whoever sends a byte a minute holds a place that others need */
async function inTime<T>(arrival: Promise<T>, patienceMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Problem("request_timeout")), patienceMs);
  arrival.catch(() => {}); // nobody waits for it after the time is over
  try {
    return await Promise.race([arrival, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const limited = bodyLimit({
  maxSize: LONGEST_BODY,
  onError: () => {
    throw new Problem("body_too_large");
  },
});

/** The connection ended before the body did. */
function brokenOff(cause: unknown): Problem {
  return cause instanceof Problem ? cause : new Problem("invalid_request", "body breaks off", { cause });
}

/** Refuses malformed JSON, and a body that carries a note; warns of the latter without a word of it. */
function secretGuard(warnings: LogThrottle, patienceMs: number) {
  return createMiddleware(async (c, next) => {
    const text = await inTime(c.req.text(), patienceMs).catch((error) => {
      throw brokenOff(error);
    });
    const value = parse(text);
    if (value === undefined ? holdsNote(text) : carriesSecret(value)) {
      warnings.warning("refused a body of {path} that carries note secrets", { path: c.req.path });
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

/** Refuses a query that carries a note. */
export function queryGuard(warnings: LogThrottle) {
  return createMiddleware(async (c, next) => {
    if (carriesSecret(c.req.queries())) {
      warnings.warning("refused a query that carries note secrets");
      throw new Problem("secret_in_body");
    }
    await next();
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
