import { deepEqual } from "node:assert/strict";
import { Problem } from "../core/errors/problem.ts";
import { toFailureMessage } from "./worker_message.ts";

const fail = (error: unknown) => toFailureMessage(error, "prover", Problem);

Deno.test("a problem leaves the thread with its code, message and details, and the worker is kept", () => {
  const errors = [{ pointer: "/root", detail: "not in the field" }];
  deepEqual(fail(new Problem("invalid_request", "a bad input", { errors })), {
    kind: "failed",
    code: "invalid_request",
    message: "a bad input",
    errors,
    fatal: false,
  });
});

Deno.test("another error is a fault of the worker, which is named", () => {
  for (const error of [new RangeError("out of memory"), "out of memory"]) {
    deepEqual(fail(error), {
      kind: "failed",
      code: "internal",
      message: "prover: out of memory",
      errors: [],
      fatal: true,
    });
  }
});

Deno.test("a task error without details has an empty list of them", () => {
  class TaskError extends Error {
    readonly code = "invalid_request";
  }
  const { kind, ...failure } = toFailureMessage(new TaskError("bad"), "prover", TaskError as never);
  deepEqual([kind, failure], ["failed", {
    code: "invalid_request",
    message: "bad",
    errors: [],
    fatal: false,
  }]);
});
