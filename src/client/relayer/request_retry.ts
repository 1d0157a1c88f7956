/** When to retry a request to a relayer: only if waiting may help, and never sooner than the relayer asks for. */
import type { Problem, ProblemCode } from "../../core/errors/problem.ts";
import { backoffMs } from "../../core/time.ts";

/** Temporary refusals. A low wallet balance or an unprofitable fee needs another relayer, not a retry. */
const RETRYABLE_CODES: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "rate_limited",
  "retry_later",
  "not_ready",
  "overloaded",
  "verification_busy",
]);
/** What a proxy in front of a relayer answers when the relayer does not. */
const RETRYABLE_HTTP_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const INITIAL_BACKOFF_MS = 500;

/** How often and how long to retry. */
export interface RequestRetryOptions {
  /** Attempts of one request. */
  readonly maxAttempts: number;
  /** A relayer that asks for a longer wait is given up. */
  readonly maxRetryDelayMs: number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Returns a number in [0, 1). Spreads the attempts of many clients. */
  readonly random: () => number;
}

/** One attempt that failed. */
export class AttemptError extends Error {
  /**
   * @param status of the answer; undefined if there was none, in which case the request may still have arrived
   * @param retryAfterMs the answer's Retry-After
   */
  constructor(readonly problem: Problem, readonly status?: number, readonly retryAfterMs?: number) {
    super(problem.message);
  }

  /** Whether the relayer may have acted on the request. */
  get mayHaveTakenEffect(): boolean {
    return this.status === undefined || this.status === 502 || this.status === 504 ||
      this.problem.code === "not_ready"; // also reported if the database wrote but its answer was lost
  }
}

/**
 * Runs `attempt` until it succeeds, or another attempt cannot help.
 *
 * @param attempt receives whether an earlier attempt may have taken effect
 * @throws the problem of the last {@linkcode AttemptError}, and any other error of `attempt`
 */
export async function retryRequest<T>(
  attempt: (mayHaveTakenEffect: boolean) => Promise<T>,
  { maxAttempts, maxRetryDelayMs, sleep, random }: RequestRetryOptions,
): Promise<T> {
  let mayHaveTakenEffect = false;
  for (let failures = 1;; failures++) {
    try {
      return await attempt(mayHaveTakenEffect);
    } catch (error) {
      if (!(error instanceof AttemptError)) throw error;
      const backoff = backoffMs(failures, { initialMs: INITIAL_BACKOFF_MS, maxMs: Infinity, random });
      const ms = Math.max(error.retryAfterMs ?? 0, backoff);
      if (!isRetryable(error) || failures >= maxAttempts || ms > maxRetryDelayMs) throw error.problem;
      mayHaveTakenEffect ||= error.mayHaveTakenEffect;
      await sleep(ms);
    }
  }
}

function isRetryable({ problem, status }: AttemptError): boolean {
  if (problem.code !== "relayer_unavailable") return RETRYABLE_CODES.has(problem.code);
  return status === undefined || RETRYABLE_HTTP_STATUSES.has(status);
}

/**
 * Parses a Retry-After header in either of its forms (RFC 9110, 10.2.3).
 *
 * @param now Unix milliseconds
 * @returns milliseconds to wait
 */
export function parseRetryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^[0-9]{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
