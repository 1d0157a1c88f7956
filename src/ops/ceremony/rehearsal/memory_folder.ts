/** A ceremony's folder in memory, which leaves nothing on disk. */
import type { CeremonyFolder } from "../ceremony_folder.ts";

/** A folder and its files by name. */
export type MemoryFolder = CeremonyFolder & { readonly files: Map<string, Uint8Array<ArrayBuffer>> };

/** Creates an empty folder. Nothing else can use it, so its lock does nothing. */
export function memoryFolder(): MemoryFolder {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    files,
    has: (name) => Promise.resolve(files.has(name)),
    assertWritable: () => Promise.resolve(),
    lock: () => Promise.resolve({ [Symbol.dispose]() {} }),
    read: (name) => Promise.resolve(files.get(name)?.slice()),
    write: (name, content) => Promise.resolve(void files.set(name, new Uint8Array(content))),
    remove: (name) => Promise.resolve(void files.delete(name)),
  };
}
