/** When a request to a relayer is made again: only when waiting may help, and never sooner than the relayer asks for. */
import type { Problem, ProblemCode } from "../core/errors.ts";

/** Refusals that pass by themselves. A short wallet or a fee that does not pay needs another relayer, not patience. */
const PASSING: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "rate_limited",
  "retry_later",
  "not_ready",
  "overloaded",
  "verification_busy",
]);
/** What proxies in front of a relayer say when it does not answer them. */
const PASSING_STATUS: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const FIRST_DELAY_MS = 500;

/** How often and how long. */
export interface RetryOptions {
  /** Tries of one request at most. */
  readonly attempts: number;
  /** A relayer that asks for more patience than this is given up. */
  readonly longestWaitMs: number;
  readonly wait: (ms: number) => Promise<void>;
  /** In [0, 1); spreads the tries of many clients. */
  readonly random: () => number;
}

/** One try that failed. */
export class FailedTry extends Error {
  /**
   * @param status of the answer; undefined: there was none, and the request may have got through all the same
   * @param retryAfterMs what the answer's Retry-After says
   */
  constructor(readonly problem: Problem, readonly status?: number, readonly retryAfterMs?: number) {
    super(problem.message);
  }

  /** Whether the relayer may have acted on it. */
  get unsure(): boolean {
    return this.status === undefined || this.status === 502 || this.status === 504 ||
      this.problem.code === "not_ready"; // also when its database wrote and the answer was lost
  }
}

/** Runs `attempt` until it succeeds or it is pointless. @param attempt is told whether an earlier try may have got through */
export async function retrying<T>(
  attempt: (unsure: boolean) => Promise<T>,
  { attempts, longestWaitMs, wait, random }: RetryOptions,
): Promise<T> {
  let unsure = false;
  for (let tried = 1;; tried++) {
    try {
      return await attempt(unsure);
    } catch (error) {
      if (!(error instanceof FailedTry)) throw error;
      const backOff = FIRST_DELAY_MS * 2 ** (tried - 1) * (0.5 + random() / 2);
      const delay = Math.max(error.retryAfterMs ?? 0, backOff);
      if (!mayPass(error) || tried >= attempts || delay > longestWaitMs) throw error.problem;
      unsure ||= error.unsure;
      await wait(delay);
    }
  }
}

function mayPass({ problem, status }: FailedTry): boolean {
  if (problem.code !== "relayer_unavailable") return PASSING.has(problem.code);
  return status === undefined || PASSING_STATUS.has(status);
}

/** Milliseconds of a Retry-After header, in either of its forms (RFC 9110, 10.2.3). */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^[0-9]{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
