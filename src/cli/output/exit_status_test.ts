import { deepEqual } from "node:assert/strict";
import { Problem } from "../../core/errors/problem.ts";
import { exitStatus, exitStatusOf } from "./exit_status.ts";

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
