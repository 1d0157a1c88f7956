import { deepEqual } from "node:assert/strict";
import { Problem, type ProblemCode, problems } from "../../core/errors/problem.ts";
import { toPublicProblem } from "./problem_response.ts";

const cases: [code: ProblemCode, answer: ProblemCode, message: string][] = [
  ["fee_below_floor", "fee_below_floor", "of a host"],
  ["chain_unavailable", "not_ready", problems.chain_unavailable.title],
  ["write_failed", "internal", problems.internal.title],
];
for (const [code, answer, message] of cases) {
  Deno.test(`${code} is answered as ${answer}, and only a documented problem with its message`, () => {
    const problem = toPublicProblem(new Problem(code, "of a host"));
    deepEqual([problem.code, problem.message], [answer, message]);
  });
}
