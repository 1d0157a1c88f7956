import { Problem } from "../../core/errors/problem.ts";

/** Exits with 2. `pointer` is the flag, argument or variable. */
export function usageError(pointer: string, detail: string): Problem {
  return new Problem("invalid_config", undefined, { errors: [{ pointer, detail }] });
}
