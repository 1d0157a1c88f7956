/** Only regular files are read and replaced. */
import { writeAtomically } from "../../config/files/atomic_file.ts";
import type { PoolId } from "../store.ts";
import type { TreeSnapshotStore } from "../tree_snapshot_store.ts";

const TEMP_SUFFIX = /^\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The runtime copies whole files on the calling thread, 70 MB for a full tree. */
const CHUNK_BYTES = 2 ** 20;

/** `key` seals the snapshots; `largest` is the maximum file size in bytes. */
export function createTreeSnapshotFiles(
  directory: string,
  key: Uint8Array,
  largest: number,
): TreeSnapshotStore {
  const nameOf = (pool: PoolId) => `tree-${pool.replace(":", "_")}.bin`;
  const pathOf = (pool: PoolId) => `${directory}/${nameOf(pool)}`;

  async function removeDrafts(pool: PoolId): Promise<void> {
    const name = nameOf(pool);
    for await (const entry of Deno.readDir(directory)) {
      if (!entry.name.startsWith(name) || !TEMP_SUFFIX.test(entry.name.slice(name.length))) continue;
      await Deno.remove(`${directory}/${entry.name}`).catch(() => {}); // another replica may have removed it
    }
  }

  return {
    sealKey: key,
    async load(pool) {
      return await undefinedIfMissing(async () => {
        await removeDrafts(pool);
        const path = pathOf(pool);
        const size = await regularFileSize(path);
        if (size > largest) throw new Error(`${path} is larger than any tree: ${size} bytes`);
        return await readFile(path, size);
      });
    },
    async save(pool, bytes) {
      await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
      await undefinedIfMissing(() => regularFileSize(pathOf(pool)));
      await writeAtomically(pathOf(pool), bytes, { mode: 0o600 });
    },
  };
}

async function readFile(path: string, size: number): Promise<Uint8Array<ArrayBuffer>> {
  using file = await Deno.open(path);
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size;) {
    const count = await file.read(bytes.subarray(at, at + CHUNK_BYTES));
    if (count === null) throw new Error(`${path} became shorter while it was read`);
    at += count;
  }
  return bytes;
}

async function regularFileSize(path: string): Promise<number> {
  const { isFile, size } = await Deno.lstat(path);
  if (!isFile) throw new Error(`${path} is not a regular file`);
  return size;
}

async function undefinedIfMissing<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
