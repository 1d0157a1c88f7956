/** Trees as files of the data directory, `tree-<pool>.bin`, each written beside its place and renamed into it. */
import type { PoolId } from "../store.ts";
import type { TreeSnapshots } from "../tree_snapshots.ts";

/** Keeps trees in `directory`, which is made when it is missing, sealed with `key`. */
export function treeFiles(directory: string, key: Uint8Array): TreeSnapshots {
  const pathOf = (pool: PoolId) => `${directory}/tree-${pool.replace(":", "_")}.bin`;
  return {
    key,
    async load(pool) {
      try {
        return await Deno.readFile(pathOf(pool));
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return undefined;
        throw error;
      }
    },
    async save(pool, bytes) {
      await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
      // A name of its own: replicas may share a directory.
      const draft = `${pathOf(pool)}.${crypto.randomUUID()}`;
      try {
        await Deno.writeFile(draft, bytes, { mode: 0o600 });
        await Deno.rename(draft, pathOf(pool));
      } catch (error) {
        await Deno.remove(draft).catch(() => {});
        throw error;
      }
    },
  };
}
