/** A relayer's refusal: its word, which is no proof of anything. */
import { Problem } from "../core/errors.ts";
import { type HttpProblemCode, httpProblems } from "../core/http_problems.ts";

/**
 * What a relayer refuses with. The code is the relayer's, and never ends what another relayer may do; the message is this
 * program's own. The relayer's words are in `members`, for programs: shown to a person they could be a lie about a note.
 */
export class RelayerProblem extends Problem {
  /** @param document the relayer's answer */
  constructor(
    override readonly code: HttpProblemCode,
    readonly relayer: string,
    document: Record<string, unknown>,
  ) {
    super(code, `the relayer refuses, as it says for this reason: ${httpProblems[code].title}`, {
      members: document,
      todo: "Ask another relayer, or this one later.",
    });
  }
}

/** Whether a code is one that a relayer may refuse with. */
export function isHttpProblem(code: string): code is HttpProblemCode {
  return Object.hasOwn(httpProblems, code);
}
