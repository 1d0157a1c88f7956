/** What was wrong in how a command was called. */
import { Problem } from "../core/errors.ts";

/** `invalid_config`, which ends with 2. @param pointer the flag, argument or variable */
export function misuse(pointer: string, detail: string): Problem {
  return new Problem("invalid_config", undefined, { errors: [{ pointer, detail }] });
}
