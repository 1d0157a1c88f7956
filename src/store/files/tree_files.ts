/**
 * Trees as files of the data directory, `tree-<pool>.bin`, each written beside its place and renamed into it. What stands
 * at the place and is no regular file is somebody else's: it is neither read nor replaced.
 */
import type { PoolId } from "../store.ts";
import type { TreeSnapshots } from "../tree_snapshots.ts";

/** What a draft's name has after its file's. */
const DRAFT = /^\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Bytes read or written at a time: the runtime copies whole files on the thread that asks, 70 MB for a full tree. */
const PIECE = 2 ** 20;

/**
 * Keeps trees in `directory`, which is made when it is missing, sealed with `key`.
 *
 * @param largest bytes that a tree's file may have
 */
export function treeFiles(directory: string, key: Uint8Array, largest: number): TreeSnapshots {
  const nameOf = (pool: PoolId) => `tree-${pool.replace(":", "_")}.bin`;
  const pathOf = (pool: PoolId) => `${directory}/${nameOf(pool)}`;

  /** Removes what a process that was killed has left. Where replicas share a directory, one that saves now only fails to. */
  async function removeDrafts(pool: PoolId): Promise<void> {
    const name = nameOf(pool);
    for await (const entry of Deno.readDir(directory)) {
      if (!entry.name.startsWith(name) || !DRAFT.test(entry.name.slice(name.length))) continue;
      await Deno.remove(`${directory}/${entry.name}`).catch(() => {}); // another replica may have; it is in nobody's way
    }
  }

  return {
    key,
    async load(pool) {
      return await unlessMissing(async () => {
        await removeDrafts(pool);
        const path = pathOf(pool);
        const size = await sizeOf(path);
        if (size > largest) throw new Error(`${path} is larger than any tree: ${size} bytes`);
        return await read(path, size);
      });
    },
    async save(pool, bytes) {
      await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
      await unlessMissing(() => sizeOf(pathOf(pool)));
      // A name of its own: replicas may share a directory.
      const draft = `${pathOf(pool)}.${crypto.randomUUID()}`;
      try {
        await Deno.writeFile(draft, ReadableStream.from(piecesOf(bytes)), { createNew: true, mode: 0o600 });
        await Deno.rename(draft, pathOf(pool));
      } catch (error) {
        await Deno.remove(draft).catch(() => {});
        throw error;
      }
    },
  };
}

/** The first `size` bytes of a file. @throws Error when it has fewer */
async function read(path: string, size: number): Promise<Uint8Array<ArrayBuffer>> {
  using file = await Deno.open(path);
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size;) {
    const count = await file.read(bytes.subarray(at, at + PIECE));
    if (count === null) throw new Error(`${path} became shorter while it was read`);
    at += count;
  }
  return bytes;
}

function* piecesOf(bytes: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/** Bytes of a regular file; a link is none, wherever it leads. */
async function sizeOf(path: string): Promise<number> {
  const { isFile, size } = await Deno.lstat(path);
  if (!isFile) throw new Error(`${path} is no regular file`);
  return size;
}

async function unlessMissing<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
