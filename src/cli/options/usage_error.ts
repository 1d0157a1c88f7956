import { Problem } from "../../core/errors/problem.ts";

/** Returns an `invalid_config` problem, which exits with 2. @param pointer the flag, argument or variable */
export function usageError(pointer: string, detail: string): Problem {
  return new Problem("invalid_config", undefined, { errors: [{ pointer, detail }] });
}
