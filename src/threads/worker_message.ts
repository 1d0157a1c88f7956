/** What a worker answers. Whatever goes wrong in it is answered too, with what a message may carry. */
import { Problem, type ProblemCode, type ProblemDetail } from "../core/errors.ts";

/** The task is done, or it failed: a task gets one answer. */
export type WorkerMessage<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | {
    readonly kind: "failed";
    readonly code: ProblemCode;
    readonly message: string;
    readonly errors: readonly ProblemDetail[];
    /** Not by the task's own fault: the worker's memory is not to be trusted any more. */
    readonly fatal: boolean;
  };

/** The answer to a task that threw `error`. @param name whose worker it is */
export function failure(error: unknown, name: string): WorkerMessage<never> {
  if (error instanceof Problem) {
    return { kind: "failed", code: error.code, message: error.message, errors: error.errors, fatal: false };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "failed", code: "internal", message: `${name}: ${message}`, errors: [], fatal: true };
}
