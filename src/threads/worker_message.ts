/** Messages from a worker. A failure message contains only what may leave the thread. */
import { Problem, type ProblemCode, type ProblemDetail } from "../core/errors/problem.ts";

export type WorkerMessage<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | {
    readonly kind: "failed";
    readonly code: ProblemCode;
    readonly message: string;
    readonly errors: readonly ProblemDetail[];
    /** The worker's memory can no longer be trusted. */
    readonly fatal: boolean;
  };

export function toFailureMessage(error: unknown, name: string): WorkerMessage<never> {
  if (error instanceof Problem) {
    return { kind: "failed", code: error.code, message: error.message, errors: error.errors, fatal: false };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "failed", code: "internal", message: `${name}: ${message}`, errors: [], fatal: true };
}
