/** A relayer's refusal. It is the relayer's claim, and proves nothing. */
import { Problem } from "../../core/errors/problem.ts";
import { type HttpProblemCode, httpProblems } from "../../core/errors/http_problems.ts";

/**
 * A relayer's refusal. The code is the relayer's, and never prevents another relayer from being tried; the message is this
 * program's own. The relayer's text is in `members`, for programs: shown to a user, it could be a lie about a note.
 *
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
  /**
   * @param code the relayer's problem code
   * @param relayer the relayer's base URL
   * @param document the relayer's answer
   */
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

/** Returns whether a relayer may refuse with this code. */
export function isHttpProblemCode(code: string): code is HttpProblemCode {
  return Object.hasOwn(httpProblems, code);
}
