/** A ceremony's files on disk. */
import { Problem } from "../../core/errors.ts";
import type { Folder } from "../ceremony/folder.ts";
import type { FileSource } from "../ceremony/sections.ts";

/** Bytes; a transcript has some thousand for each contribution. */
const LARGEST_JSON = 64_000_000;

/** The folder at `path`; it need not exist. */
export function ceremonyFolder(path: string): Folder {
  const at = (name: string) => `${path}/${name}`;
  return {
    async read(name) {
      try {
        const { isFile, size } = await Deno.stat(at(name));
        if (!isFile) throw new Error("it is no regular file");
        if (name.endsWith(".json") && size > LARGEST_JSON) throw new Error(`it has ${size} bytes`);
        return await Deno.readFile(at(name));
      } catch (cause) {
        if (cause instanceof Deno.errors.NotFound) return undefined;
        throw unusable(at(name), "read", cause);
      }
    },
    async write(name, content) {
      const draft = `${at(name)}.part`;
      try {
        await Deno.mkdir(draft.replace(/[^/]*$/, ""), { recursive: true });
        const file = await Deno.open(draft, { write: true, create: true, truncate: true });
        try {
          for (let rest = content; rest.length > 0;) rest = rest.subarray(await file.write(rest));
          await file.sync();
        } finally {
          file.close();
        }
        await Deno.rename(draft, at(name));
      } catch (cause) {
        await Deno.remove(draft).catch(() => {});
        throw new Problem("cannot_write", `${at(name)} cannot be written: ${reasonOf(cause)}`, { cause });
      }
    },
    async remove(name) {
      await Deno.remove(at(name)).catch((cause) => {
        if (!(cause instanceof Deno.errors.NotFound)) throw unusable(at(name), "removed", cause);
      });
    },
  };
}

/**
 * Opens a file to be read in parts.
 *
 * @throws {Problem} `invalid_config` when it cannot be
 */
export async function openSource(path: string): Promise<FileSource> {
  const file = await (async () => {
    if (!(await Deno.stat(path)).isFile) throw new Error("it is no regular file"); // a pipe would hold up its opening
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

function unusable(path: string, what: string, cause: unknown): Problem {
  const errors = [{ pointer: "file", detail: `${path} cannot be ${what}: ${reasonOf(cause)}` }];
  return new Problem("invalid_config", undefined, { errors, cause });
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
