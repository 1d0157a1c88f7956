import { createFolderOf, writeAtomically } from "../../../config/files/atomic_file.ts";
import { lockFile } from "../../../config/files/file_lock.ts";
import { assertRegularFile, readBoundedFile } from "../../../config/files/bounded_file.ts";
import { Problem } from "../../../core/errors/problem.ts";
import type { CeremonyFolder } from "../ceremony_folder.ts";
import type { FileByteSource } from "../section_file.ts";

/** Exists while a step writes. A crash may leave the file, but not the lock. */
const LOCK_FILE = ".ceremony.lock";

/** The folder need not exist. */
export function diskFolder(path: string): CeremonyFolder {
  const at = (name: string) => `${path}/${name}`;
  return {
    async read(name, maxBytes) {
      try {
        return await Promise.resolve(readBoundedFile(at(name), maxBytes));
      } catch (cause) {
        if (cause instanceof Deno.errors.NotFound) return undefined;
        throw accessFailure(at(name), "read", cause);
      }
    },
    async has(name) {
      try {
        await Deno.lstat(at(name));
        return true;
      } catch (cause) {
        // A path below a file does not exist. Writing there fails later.
        if (cause instanceof Deno.errors.NotFound || cause instanceof Deno.errors.NotADirectory) return false;
        throw accessFailure(at(name), "read", cause);
      }
    },
    async assertWritable() {
      try {
        await Deno.mkdir(path, { recursive: true });
        await Deno.remove(await Deno.makeTempFile({ dir: path, prefix: ".ceremony-" }));
      } catch (cause) {
        throw writeFailure(path, cause);
      }
    },
    async lock() {
      const lock = await acquireLock(path, at(LOCK_FILE));
      if (lock) return lock;
      throw new Problem("folder_in_use", `another run uses this folder: ${path}`, {
        hint: "Wait until it ends, then run this command again.",
      });
    },
    async write(name, content) {
      try {
        await createFolderOf(at(name));
        await writeAtomically(at(name), content); // follows no link, because the folder may come from others
      } catch (cause) {
        throw writeFailure(at(name), cause);
      }
    },
    async remove(name) {
      await Deno.remove(at(name)).catch((cause) => {
        if (!(cause instanceof Deno.errors.NotFound)) throw accessFailure(at(name), "removed", cause);
      });
    },
  };
}

/** Returns undefined if another run holds the lock. Throws `write_failed`. */
async function acquireLock(folder: string, path: string): Promise<Disposable | undefined> {
  try {
    await Deno.mkdir(folder, { recursive: true });
    return await lockFile(path);
  } catch (cause) {
    throw writeFailure(folder, cause);
  }
}

/** Opens a file for reading in parts. Throws `invalid_config`. */
export async function openByteSource(path: string): Promise<FileByteSource> {
  const file = await (async () => {
    assertRegularFile(path);
    return await Deno.open(path);
  })().catch((cause) => {
    throw accessFailure(path, "read", cause);
  });
  const { size } = await file.stat();
  return {
    size,
    async read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
      let filled = 0;
      while (filled < bytes.length) {
        // Both calls are synchronous, so concurrent reads cannot move each other's position.
        file.seekSync(offset + filled, Deno.SeekMode.Start);
        const count = file.readSync(bytes.subarray(filled));
        if (count === null) break;
        filled += count;
      }
      return await Promise.resolve(bytes.subarray(0, filled));
    },
    close: () => file.close(),
  };
}

function writeFailure(path: string, cause: unknown): Problem {
  return new Problem("write_failed", `${path} cannot be written: ${messageOf(cause)}`, { cause });
}

function accessFailure(path: string, what: string, cause: unknown): Problem {
  const errors = [{ pointer: "file", detail: `${path} cannot be ${what}: ${messageOf(cause)}` }];
  return new Problem("invalid_config", undefined, { errors, cause });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
