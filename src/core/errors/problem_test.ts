import { deepEqual, equal, ok } from "node:assert/strict";
import { exitCodes, Problem, type ProblemCode, problems } from "./problem.ts";

const COMMON = [400, 404, 409, 422, 429, 500, 503];
/** Statuses with one meaning, and all of their problems. */
const RARE: Readonly<Record<number, readonly string[]>> = {
  405: ["method_not_allowed"],
  408: ["request_timeout"],
  410: ["pool_retired"],
  413: ["body_too_large"],
  415: ["unsupported_media_type"],
  499: ["cancelled"],
};
/** Statuses on which programs depend: to retry, to wait, to correct the request. */
const FIXED: Readonly<Record<number, readonly string[]>> = {
  400: ["invalid_request", "secret_in_body", "invalid_proof"],
  404: ["not_found", "unknown_pool", "commitment_not_found", "withdrawal_not_found"],
  409: ["nullifier_already_used"],
  422: ["unknown_root", "stale_root", "proof_invalid", "fee_below_floor", "not_in_field"],
  429: ["rate_limited", "hourly_cap_reached", "retry_later"],
  500: ["internal"],
  503: ["not_ready", "overloaded", "chain_unavailable", "store_unavailable", "payouts_blocked"],
};

Deno.test("each problem has a title, a next step and a status that the API documents", () => {
  for (const [code, { status, title, hint }] of Object.entries(problems)) {
    ok(RARE[status]?.includes(code) ?? COMMON.includes(status), `${code} has status ${status}`);
    ok(title.length > 0 && hint.endsWith("."), code);
  }
  for (const [status, codes] of [...Object.entries(RARE), ...Object.entries(FIXED)]) {
    for (const code of codes) equal(problems[code as ProblemCode].status, Number(status), code);
  }
});

Deno.test("a problem has its kind's text unless it is given another, and keeps its cause", () => {
  const plain = new Problem("pool_retired");
  deepEqual([plain.message, plain.hint, plain.status, plain.errors, plain.members], [
    problems.pool_retired.title,
    problems.pool_retired.hint,
    410,
    [],
    {},
  ]);
  ok(!("cause" in plain));
  const [cause, errors] = [new Error("why"), [{ pointer: "/a", detail: "is odd" }]];
  const problem = new Problem("pool_retired", "detail", { hint: "next", errors, members: { a: 1 }, cause });
  deepEqual([problem.message, problem.hint, problem.errors, problem.members, problem.cause], [
    "detail",
    "next",
    errors,
    { a: 1 },
    cause,
  ]);
});

Deno.test("the exit codes are those that the contracts are compiled with", async () => {
  const source = await Deno.readTextFile(
    new URL("../../../contracts/shared/generated/errors.tolk", import.meta.url),
  );
  const compiled = [...source.matchAll(/^const (ERR_\w+) = (\d+)$/gm)].map((
    [, name, code],
  ) => [name, Number(code)]);
  deepEqual(exitCodes, Object.fromEntries(compiled));
});
