/** Saves and loads trees. A snapshot is not trusted: its seal, every row and the root on chain must match. */
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { Secret } from "../../../core/text/secret.ts";
import type { PoolId, Store } from "../../../store/store.ts";
import type { TreeSnapshotStore } from "../../../store/tree_snapshot_store.ts";
import type { Log } from "../../../telemetry/log.ts";
import type { PoolTree } from "./pool_tree.ts";

const MIN_SNAPSHOT_LEAVES = 1_024; // smaller trees load as fast from the store
/** A tree is saved again after growing by this fraction. */
const SAVE_GROWTH_DIVISOR = 16;

interface SnapshotDeps {
  readonly snapshots?: TreeSnapshotStore;
  readonly store: Pick<Store, "leaves">;
  readonly log: Log;
}

/** Derives a key that all replicas share. It reveals nothing about the mnemonic. */
export function deriveSnapshotKey(mnemonic: Secret<string>): Uint8Array {
  const encoder = new TextEncoder();
  return hmac(sha256, encoder.encode(mnemonic.reveal()), encoder.encode("tonado: seal of trees, v1"));
}

export async function restoreTree(
  pool: PoolId,
  tree: PoolTree,
  { snapshots, store, log }: SnapshotDeps,
): Promise<boolean> {
  try {
    const bytes = await snapshots?.load(pool);
    if (snapshots === undefined || bytes === undefined) return false;
    const found = await tree.service.decodeSnapshot(bytes, snapshots.sealKey);
    if (found?.pool === pool) {
      await tree.restore(found.size, found.levels, found.timestamps);
      if (await tree.matchesStoredLeaves(store.leaves(pool, 0))) return true;
    }
    log.warning("the tree snapshot is damaged or does not match: rebuilding the tree from the stored rows");
  } catch (error) {
    log.warning("the tree snapshot cannot be used: {error}", { error: String(error) });
  }
  tree.clear();
  return false;
}

/** Saves after enough growth since `saved` leaves, or if `always`. Returns the number of saved leaves. */
export async function saveTree(
  pool: PoolId,
  tree: PoolTree,
  saved: number,
  { snapshots, log }: Omit<SnapshotDeps, "store">,
  always = false,
): Promise<number> {
  const due = always
    ? tree.size > saved
    : tree.size - saved >= Math.max(MIN_SNAPSHOT_LEAVES, Math.floor(tree.size / SAVE_GROWTH_DIVISOR));
  if (snapshots === undefined || !due || tree.size < MIN_SNAPSHOT_LEAVES) return saved;
  const { size } = tree;
  try {
    const { levels, times } = tree;
    await snapshots.save(
      pool,
      await tree.service.encodeSnapshot({ pool, size, levels, timestamps: times }, snapshots.sealKey),
    );
    return size;
  } catch (error) {
    log.warning("the tree snapshot was not written: {error}", { error: String(error) });
    return size; // delays the next attempt
  }
}
