/** A ceremony's files on disk. */
import { tryLock } from "../../config/file_lock.ts";
import { assertRegular, readWhole } from "../../config/whole_file.ts";
import { Problem } from "../../core/errors.ts";
import type { Folder } from "../ceremony/folder.ts";
import type { FileSource } from "../ceremony/sections.ts";

/** Is there while a step writes; a crash may leave it, and it then holds nothing up. */
const LOCK = ".ceremony.lock";

/** The folder at `path`; it need not exist. */
export function ceremonyFolder(path: string): Folder {
  const at = (name: string) => `${path}/${name}`;
  return {
    async read(name, most) {
      try {
        return await Promise.resolve(readWhole(at(name), most));
      } catch (cause) {
        if (cause instanceof Deno.errors.NotFound) return undefined;
        throw unusable(at(name), "read", cause);
      }
    },
    async has(name) {
      try {
        await Deno.lstat(at(name));
        return true;
      } catch (cause) {
        // Below a file there is nothing; that nothing can be made there is told when it is tried.
        if (cause instanceof Deno.errors.NotFound || cause instanceof Deno.errors.NotADirectory) return false;
        throw unusable(at(name), "read", cause);
      }
    },
    async assertWritable() {
      try {
        await Deno.mkdir(path, { recursive: true });
        await Deno.remove(await Deno.makeTempFile({ dir: path, prefix: ".ceremony-" }));
      } catch (cause) {
        throw unwritable(path, cause);
      }
    },
    async lock() {
      const held = await lock(path, at(LOCK));
      if (held) return held;
      throw new Problem("already_running", `another run works on this folder: ${path}`, {
        todo: "Wait until it is done, and run this again: it will read the folder anew.",
      });
    },
    async write(name, content) {
      const draft = `${at(name)}.${crypto.randomUUID()}.part`;
      try {
        await Deno.mkdir(draft.replace(/[^/]*$/, ""), { recursive: true });
        const file = await Deno.open(draft, { write: true, createNew: true });
        try {
          for (let rest = content; rest.length > 0;) rest = rest.subarray(await file.write(rest));
          await file.sync();
        } finally {
          file.close();
        }
        await Deno.rename(draft, at(name));
      } catch (cause) {
        await Deno.remove(draft).catch(() => {});
        throw unwritable(at(name), cause);
      }
    },
    async remove(name) {
      await Deno.remove(at(name)).catch((cause) => {
        if (!(cause instanceof Deno.errors.NotFound)) throw unusable(at(name), "removed", cause);
      });
    },
  };
}

/** Undefined when another one holds it. @throws {Problem} `cannot_write` */
async function lock(folder: string, path: string): Promise<Disposable | undefined> {
  let file: Deno.FsFile | undefined;
  try {
    await Deno.mkdir(folder, { recursive: true });
    await assertNoOther(path);
    file = await Deno.open(path, { create: true, write: true });
    const held = await tryLock(file) && await isAt(file, path);
    if (!held) {
      file.close();
      return undefined;
    }
  } catch (cause) {
    file?.close();
    throw unwritable(path, cause);
  }
  return {
    [Symbol.dispose]() {
      try {
        Deno.removeSync(path); // while it is held: afterwards it may be another one's
      } catch {
        // It holds nothing up.
      }
      file.close();
    },
  };
}

/** What is in a folder from elsewhere may be a pipe, which opening would wait for, or a link to another file. */
async function assertNoOther(path: string): Promise<void> {
  const { isFile } = await Deno.lstat(path).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return { isFile: true };
    throw error;
  });
  if (!isFile) throw new Error("it is no regular file");
}

/** Whether nobody has removed the file, and made another one, between its opening and its lock. */
async function isAt(file: Deno.FsFile, path: string): Promise<boolean> {
  const there = await Deno.lstat(path).catch(() => undefined);
  return there !== undefined && there.ino === (await file.stat()).ino;
}

/**
 * Opens a file to be read in parts.
 *
 * @throws {Problem} `invalid_config` when it cannot be
 */
export async function openSource(path: string): Promise<FileSource> {
  const file = await (async () => {
    assertRegular(path);
    return await Deno.open(path);
  })().catch((cause) => {
    throw unusable(path, "read", cause);
  });
  const { size } = await file.stat();
  return {
    size,
    async read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
      let filled = 0;
      while (filled < bytes.length) {
        // Together, so that readings at the same time do not move each other's place.
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

function unwritable(path: string, cause: unknown): Problem {
  return new Problem("cannot_write", `${path} cannot be written: ${reasonOf(cause)}`, { cause });
}

function unusable(path: string, what: string, cause: unknown): Problem {
  const errors = [{ pointer: "file", detail: `${path} cannot be ${what}: ${reasonOf(cause)}` }];
  return new Problem("invalid_config", undefined, { errors, cause });
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
