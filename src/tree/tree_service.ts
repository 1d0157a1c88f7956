import { hashNewNodes, MERKLE_TREE_HEIGHT } from "../core/tree/tree_levels.ts";
import type { TreeHasher } from "../core/tree/tree_hasher.ts";
import type { TreeSnapshot } from "./snapshot_codec.ts";
import { runTreeTask } from "./tree_task.ts";

export interface TreeService extends TreeHasher {
  /** The tree must not grow meanwhile. */
  encodeSnapshot(snapshot: TreeSnapshot, key: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  /** Undefined if damaged or not authenticated with `key`. May move the bytes. Throws `not_in_field`. */
  decodeSnapshot(bytes: Uint8Array<ArrayBuffer>, key: Uint8Array): Promise<TreeSnapshot | undefined>;
}

export const inlineTreeService: TreeService = {
  hashLevels(levels, start, end) {
    hashNewNodes(levels, start, end);
    return Promise.resolve(MERKLE_TREE_HEIGHT);
  },
  buildIndex: (leaves, count) => runTreeTask({ kind: "index", leaves, count }),
  encodeSnapshot: (snapshot, key) => runTreeTask({ kind: "encode_snapshot", snapshot, key }),
  decodeSnapshot: (bytes, key) => runTreeTask({ kind: "decode_snapshot", bytes, key }),
};
