import { deepEqual } from "node:assert/strict";
import { Problem } from "../../core/errors/problem.ts";
import { toErrorJson } from "./error_report.ts";

Deno.test("an error is reported by its message, a thrown value by its text, and a problem by its code", () => {
  deepEqual([new Error("failed"), "thrown", undefined].map((error) => toErrorJson(error).message), [
    "failed",
    "thrown",
    "undefined",
  ]);
  const { code, message } = toErrorJson(new Problem("not_ready", "the tree is not ready"));
  deepEqual([code, message], ["not_ready", "the tree is not ready"]);
});
