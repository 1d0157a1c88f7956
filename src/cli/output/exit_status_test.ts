import { deepEqual } from "node:assert/strict";
import { Problem } from "../../core/errors/problem.ts";
import { exitStatus, exitStatusOf } from "./exit_status.ts";
import { toErrorJson } from "./error_report.ts";

Deno.test("the exit code distinguishes wrong input, temporary failures and final failures", () => {
  const codes = ["invalid_amount", "rate_limited", "not_ready", "cancelled", "unknown_root"] as const;
  deepEqual([...codes.map((code) => exitStatusOf(new Problem(code))), exitStatusOf(new Error())], [
    exitStatus.usage,
    exitStatus.unavailable,
    exitStatus.unavailable,
    exitStatus.interrupted,
    exitStatus.failed,
    exitStatus.failed,
  ]);
});

Deno.test("an error is reported by its message, a thrown value by its text, and a problem by its code", () => {
  deepEqual([new Error("failed"), "thrown", undefined].map((error) => toErrorJson(error).message), [
    "failed",
    "thrown",
    "undefined",
  ]);
  const { code, message } = toErrorJson(new Problem("not_ready", "the tree is not ready"));
  deepEqual([code, message], ["not_ready", "the tree is not ready"]);
});
