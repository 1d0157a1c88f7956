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
