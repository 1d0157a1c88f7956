/**
 * A pool's tree between two runs. Nothing is believed for being in a file: it must be sealed by a relayer of our wallet,
 * every leaf and its time must be the stored row's, and the root one that the chain accepts.
 */
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { Secret } from "../core/secret.ts";
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
  readonly store: Pick<Store, "leaves">;
  readonly log: Log;
}

/** The key that seals our trees: all replicas of a relayer have it, and nobody else; it tells nothing of its origin. */
export function treeKey(mnemonic: Secret<string>): Uint8Array {
  const encoder = new TextEncoder();
  return hmac(sha256, encoder.encode(mnemonic.reveal()), encoder.encode("tonado: seal of trees, v1"));
}

/** Fills an empty tree from its snapshot, if there is one that fits what is stored; whether it did. */
export async function restoreTree(
  pool: PoolId,
  tree: PoolTree,
  { snapshots, store, log }: SnapshotDeps,
): Promise<boolean> {
  try {
    const bytes = await snapshots?.load(pool);
    if (snapshots === undefined || bytes === undefined) return false;
    const found = await tree.service.unpack(bytes, snapshots.key);
    if (found?.pool === pool) {
      await tree.restore(found.size, found.levels, found.times);
      if (await tree.isOf(store.leaves(pool, 0))) return true;
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
  { snapshots, log }: Omit<SnapshotDeps, "store">,
  always = false,
): Promise<number> {
  const due = always
    ? tree.size > saved
    : tree.size - saved >= Math.max(SMALLEST, Math.floor(tree.size / GROWTH));
  if (snapshots === undefined || !due || tree.size < SMALLEST) return saved;
  const { size } = tree;
  try {
    const { levels, times } = tree;
    await snapshots.save(pool, await tree.service.pack({ pool, size, levels, times }, snapshots.key));
    return size;
  } catch (error) {
    log.warning("the snapshot of the tree was not written: {error}", { error: String(error) });
    return size; // not again at once
  }
}
