import { decodeSecretText } from "../../config/files/bounded_file.ts";
import type { CliContext } from "../context.ts";
import { Problem } from "../../core/errors/problem.ts";

export function writeError(what: string, cause: unknown): Problem {
  return new Problem("write_failed", `${what} cannot be written: ${errorReasonOf(cause)}`, { cause });
}

/** Reads a file that may contain a secret as UTF-8 text. Throws `invalid_config`. */
export function readTextFile(
  { readFile }: Pick<CliContext, "readFile">,
  path: string,
  maxBytes: number,
): string {
  const bytes = readFile(path, maxBytes);
  return wrapConfigErrors("file", `${path} cannot be read`, () => decodeSecretText(bytes));
}

export async function wrapWriteErrors<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    throw writeError(path, cause);
  }
}

export function wrapConfigErrors<T>(setting: string, detail: string, open: () => T): T {
  const toProblem = (cause: unknown) => {
    if (cause instanceof Problem) return cause;
    const errors = [{ pointer: setting, detail: `${detail}: ${errorReasonOf(cause)}` }];
    return new Problem("invalid_config", undefined, { errors, cause });
  };
  try {
    const opened = open();
    return opened instanceof Promise
      ? opened.catch((cause) => {
        throw toProblem(cause);
      }) as T
      : opened;
  } catch (cause) {
    throw toProblem(cause);
  }
}

function errorReasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
