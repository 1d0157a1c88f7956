/** A ceremony's files on disk. */
import { Problem } from "../../core/errors.ts";
import type { Folder } from "../ceremony/folder.ts";
import type { FileSource } from "../ceremony/sections.ts";

/** The folder at `path`; it need not exist. */
export function ceremonyFolder(path: string): Folder {
  const at = (name: string) => `${path}/${name}`;
  return {
    async read(name) {
      try {
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
        throw unusable(at(name), "written", cause);
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
  const file = await Deno.open(path).catch((cause) => {
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
  const reason = cause instanceof Error ? cause.message : String(cause);
  const errors = [{ pointer: "file", detail: `${path} cannot be ${what}: ${reason}` }];
  return new Problem("invalid_config", undefined, { errors, cause });
}
