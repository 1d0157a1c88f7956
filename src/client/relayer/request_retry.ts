import type { Problem, ProblemCode } from "../../core/errors/problem.ts";
import { backoffMs } from "../../core/time/backoff.ts";

/** Temporary refusals. A low wallet balance or an unprofitable fee needs another relayer, not a retry. */
const RETRYABLE_CODES: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "rate_limited",
  "retry_later",
  "not_ready",
  "overloaded",
  "verification_busy",
]);
/** The responses of a proxy when its relayer does not respond. */
const RETRYABLE_HTTP_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const INITIAL_BACKOFF_MS = 500;

export interface RequestRetryOptions {
  readonly maxAttempts: number;
  readonly maxRetryDelayMs: number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => number;
}

export class AttemptError extends Error {
  /** `status` is undefined without a response; the request may still have arrived. */
  constructor(readonly problem: Problem, readonly status?: number, readonly retryAfterMs?: number) {
    super(problem.message);
  }

  get mayHaveTakenEffect(): boolean {
    return this.status === undefined || this.status === 502 || this.status === 504 ||
      this.problem.code === "not_ready"; // also reported if the database wrote but its answer was lost
  }
}

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

/** Parses both forms of a Retry-After header (RFC 9110, 10.2.3) into milliseconds from `now`. */
export function parseRetryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^[0-9]{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
