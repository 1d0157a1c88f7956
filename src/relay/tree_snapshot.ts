/**
 * A pool's tree between two runs. Nothing is believed for being in a file: the tree must be of this pool, end in a stored
 * row, and have a root that the chain accepts.
 */
import { FIELD_BYTES, fromBytes } from "../core/field.ts";
import type { PoolId, Store } from "../store/store.ts";
import type { TreeSnapshots } from "../store/tree_snapshots.ts";
import type { Log } from "../telemetry/log.ts";
import type { PoolTree } from "./pool_tree.ts";

/** A tree that is smaller loads as fast without. */
const SMALLEST = 1_024;
/** A tree is saved again when it has grown by this part of its size. */
const GROWTH = 16;

/** What loading and saving need. */
export interface SnapshotDeps {
  readonly snapshots?: TreeSnapshots;
  readonly store: Pick<Store, "cursor" | "leaves">;
  readonly log: Log;
}

/** Fills an empty tree from its snapshot, if there is one that fits what is stored; whether it did. */
export async function restoreTree(
  pool: PoolId,
  tree: PoolTree,
  { snapshots, store, log }: SnapshotDeps,
): Promise<boolean> {
  try {
    const bytes = await snapshots?.load(pool);
    if (bytes === undefined) return false;
    const found = await tree.service.unpack(bytes);
    const now = await store.cursor(pool);
    if (found && found.pool === pool && now && found.cursor.lt <= now.lt) {
      await tree.restore(found.size, found.levels, found.times);
      const last = found.size - 1;
      for await (const { first, commitments } of store.leaves(pool, last)) {
        if (first === last && fromBytes(commitments.subarray(0, FIELD_BYTES)) === tree.leaf(last)) {
          return true;
        }
        break;
      }
    }
    log.warning("the snapshot of the tree is damaged or of something else: it is built from the rows");
  } catch (error) {
    log.warning("the snapshot of the tree cannot be used: {error}", { error: String(error) });
  }
  tree.clear();
  return false;
}

/** Saves a tree that has grown enough since `saved` leaves, or at all when `always`; returns how many are saved. */
export async function saveTree(
  pool: PoolId,
  tree: PoolTree,
  saved: number,
  { snapshots, store, log }: SnapshotDeps,
  always = false,
): Promise<number> {
  const due = always
    ? tree.size > saved
    : tree.size - saved >= Math.max(SMALLEST, Math.floor(tree.size / GROWTH));
  if (snapshots === undefined || !due || tree.size < SMALLEST) return saved;
  const { size } = tree;
  try {
    const cursor = await store.cursor(pool);
    if (cursor === undefined) return saved;
    await snapshots.save(
      pool,
      await tree.service.pack({ pool, size, cursor, levels: tree.levels, times: tree.times }),
    );
    return size;
  } catch (error) {
    log.warning("the snapshot of the tree was not written: {error}", { error: String(error) });
    return size; // not again at once
  }
}
