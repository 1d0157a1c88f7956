/** A file of a run's own, on disk. */
import { dirname } from "node:path";
import { Problem } from "../../core/errors.ts";

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
        file ??= create(path); // held: whatever is put in its place is not written to
        file.truncateSync(0);
        file.seekSync(0, Deno.SeekMode.Start);
        for (let rest = new TextEncoder().encode(text); rest.length > 0;) {
          rest = rest.subarray(file.writeSync(rest));
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

function unlessRefused(setting: string, path: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    const reason = cause instanceof Deno.errors.AlreadyExists
      ? "is there already, and is not replaced"
      : `cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`;
    const errors = [{ pointer: setting, detail: `${path} ${reason}; name a file that is not there yet` }];
    throw new Problem("invalid_config", undefined, { errors, cause });
  }
}
