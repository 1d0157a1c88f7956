/** What the system refuses, as problems that say whose fault it is and what helps. */
import { Problem } from "../core/errors.ts";

/** `cannot_write`, for what cannot be. */
export function unwritable(what: string, cause: unknown): Problem {
  return new Problem("cannot_write", `${what} cannot be written: ${reasonOf(cause)}`, { cause });
}

/** @throws {Problem} `cannot_write`, naming what cannot be written */
export async function written<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/** What the system refuses is a fault of the setting that asked for it. @throws {Problem} `invalid_config`, naming it */
export function orWrong<T>(setting: string, detail: string, open: () => T): T {
  const wrong = (cause: unknown) => {
    if (cause instanceof Problem) return cause;
    const errors = [{ pointer: setting, detail: `${detail}: ${reasonOf(cause)}` }];
    return new Problem("invalid_config", undefined, { errors, cause });
  };
  try {
    const opened = open();
    return opened instanceof Promise
      ? opened.catch((cause) => {
        throw wrong(cause);
      }) as T
      : opened;
  } catch (cause) {
    throw wrong(cause);
  }
}

/** In the system's own words. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
