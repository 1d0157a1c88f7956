/** A file of a run's own, on disk. */
import { dirname } from "node:path";
import { Problem } from "../../core/errors.ts";
import { unwritable } from "../system_faults.ts";

/** The file at `path`, which need not exist, nor the directories above it. @param setting the flag that names it */
export function ownFile(setting: string, path: string) {
  let file: Deno.FsFile | undefined;
  return {
    check(): void {
      unlessRefused(setting, path, () => {
        create(path).close();
        Deno.removeSync(path);
      });
    },
    write(text: string): void {
      unlessRefused(setting, path, () => {
        const begun = file === undefined;
        file ??= create(path); // held: whatever is put in its place is not written to
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

function create(path: string): Deno.FsFile {
  const directory = dirname(path);
  try {
    Deno.mkdirSync(directory, { recursive: true });
  } catch (cause) { // also that a file is in its place
    throw new Error(`${directory}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  return Deno.openSync(path, { write: true, createNew: true });
}

/** What is in its place is the fault of whoever named it; what else the system refuses is not. */
function unlessRefused(setting: string, path: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    if (!(cause instanceof Deno.errors.AlreadyExists)) throw unwritable(`${setting}: ${path}`, cause);
    const detail = `${path} is there already, and is not replaced; name a file that is not there yet`;
    throw new Problem("invalid_config", undefined, { errors: [{ pointer: setting, detail }], cause });
  }
}
