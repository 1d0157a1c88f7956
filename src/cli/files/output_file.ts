import { dirname } from "node:path";
import { Problem } from "../../core/errors/problem.ts";
import { writeError } from "../output/system_errors.ts";

export function openOutputFile(setting: string, path: string) {
  let file: Deno.FsFile | undefined;
  return {
    assertWritable(): void {
      wrapFileErrors(setting, path, () => {
        createWithParents(path).close();
        Deno.removeSync(path);
      });
    },
    write(text: string): void {
      wrapFileErrors(setting, path, () => {
        const begun = file === undefined;
        file ??= createWithParents(path); // kept open: a file that replaces it is not written to
        try {
          file.truncateSync(0);
          file.seekSync(0, Deno.SeekMode.Start);
          for (let rest = new TextEncoder().encode(text); rest.length > 0;) {
            rest = rest.subarray(file.writeSync(rest));
          }
        } catch (cause) {
          if (begun) Deno.removeSync(path);
          throw cause;
        }
      });
    },
    [Symbol.dispose]: () => file?.close(),
  };
}

function createWithParents(path: string): Deno.FsFile {
  const directory = dirname(path);
  try {
    Deno.mkdirSync(directory, { recursive: true });
  } catch (cause) { // also if the file exists
    throw new Error(`${directory}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  return Deno.openSync(path, { write: true, createNew: true });
}

/** A wrong path is an error of the flag; other system errors are `write_failed`. */
function wrapFileErrors(setting: string, path: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    if (!(cause instanceof Deno.errors.AlreadyExists)) throw writeError(`${setting}: ${path}`, cause);
    const detail = `${path} already exists and is not replaced; choose a new file name`;
    throw new Problem("invalid_config", undefined, { errors: [{ pointer: setting, detail }], cause });
  }
}
