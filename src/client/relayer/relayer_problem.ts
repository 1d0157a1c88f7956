import { Problem } from "../../core/errors/problem.ts";
import { type HttpProblemCode, httpProblems } from "../../core/errors/http_problems.ts";

/**
 * A relayer's refusal. It proves nothing, so the client may try another relayer. The message comes from this library;
 * the relayer's own text is only in `members`, because it could mislead a user.
 * @example
 * ```ts
 * try {
 *   await relayer.withdraw(args);
 * } catch (error) {
 *   if (error instanceof RelayerProblem) console.log(error.relayer, error.code);
 * }
 * ```
 */
export class RelayerProblem extends Problem {
  constructor(
    override readonly code: HttpProblemCode,
    readonly relayer: string,
    document: Record<string, unknown>,
  ) {
    super(code, `the relayer refuses and reports this reason: ${httpProblems[code].title}`, {
      members: document,
      hint: "Try another relayer, or try this one again later.",
    });
  }
}

export function isHttpProblemCode(code: string): code is HttpProblemCode {
  return Object.hasOwn(httpProblems, code);
}

/** These codes do not show whether a relayer that got a proof will send it. */
const UNCLEAR_CODES: ReadonlySet<HttpProblemCode> = new Set<HttpProblemCode>([
  "internal",
  "nullifier_already_used",
  "request_timeout",
  "withdrawal_not_found",
]);

/**
 * Returns why the last relayer refused a withdrawal, if every relayer that was tried refused it. A relayer that lies can
 * still send a proof that it got.
 */
export function findRefusal(problem: Problem): HttpProblemCode | undefined {
  const codes = problem instanceof RelayerProblem ? [problem.code] : problem.errors.map(({ code }) => code);
  const isRefused = codes.every((code) => code !== undefined && !UNCLEAR_CODES.has(code));
  return isRefused ? codes.at(-1) : undefined;
}
