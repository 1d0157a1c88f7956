/** Messages from a worker. A failure message contains only what may leave the thread. */
import type { ProblemCode, ProblemDetail } from "../core/errors/problem.ts";

/** The end of the error that a worker's module throws if it cannot fetch a file of its own. */
export const MISSING_FILE = " cannot be fetched";

export type WorkerMessage<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | {
    readonly kind: "failed";
    readonly code: ProblemCode;
    readonly message: string;
    readonly errors: readonly ProblemDetail[];
    readonly fatal: boolean; // the worker's memory can no longer be trusted
  };

/** What a worker's tasks throw for the caller: a Problem, or a smaller class. */
interface TaskError extends Error {
  readonly code: ProblemCode;
  readonly errors?: readonly ProblemDetail[];
}

/** Every error of another class than `Expected` is a fault of the worker. */
export function toFailureMessage(
  error: unknown,
  name: string,
  Expected: abstract new (code: ProblemCode, message: string) => TaskError,
): WorkerMessage<never> {
  if (error instanceof Expected) {
    const { code, message, errors = [] } = error;
    return { kind: "failed", code, message, errors, fatal: false };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "failed", code: "internal", message: `${name}: ${message}`, errors: [], fatal: true };
}
