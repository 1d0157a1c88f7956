import type { CeremonyFolder } from "../ceremony_folder.ts";

export type MemoryFolder = CeremonyFolder & { readonly files: Map<string, Uint8Array<ArrayBuffer>> };

/** Its lock does nothing, because nothing else can use the folder. */
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
