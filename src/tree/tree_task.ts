import { LeafIndex } from "../core/tree/leaf_index.ts";
import { hashNewNodes } from "../core/tree/tree_levels.ts";
import { decodeSnapshot, encodeSnapshot, type TreeSnapshot } from "./snapshot_codec.ts";

/** Memory that is not shared is copied to the worker and back. */
export type TreeTask =
  | {
    readonly kind: "hash";
    /** Whole subtrees of `height`. `start` and `end` count from their first leaf. */
    readonly levels: readonly Uint8Array[];
    readonly start: number;
    readonly end: number;
    readonly height: number;
  }
  | { readonly kind: "index"; readonly leaves: Uint8Array; readonly count: number }
  | { readonly kind: "encode_snapshot"; readonly snapshot: TreeSnapshot; readonly key: Uint8Array }
  | { readonly kind: "decode_snapshot"; readonly bytes: Uint8Array<ArrayBuffer>; readonly key: Uint8Array };

export interface TreeTaskResults {
  /** Undefined if the levels are shared memory, which is hashed in place. */
  hash: readonly Uint8Array[] | undefined;
  index: Uint32Array;
  encode_snapshot: Uint8Array<ArrayBuffer>;
  decode_snapshot: TreeSnapshot | undefined;
}

export async function runTreeTask<One extends TreeTask>(task: One): Promise<TreeTaskResults[One["kind"]]> {
  return await executeTreeTask(task) as TreeTaskResults[One["kind"]];
}

function executeTreeTask(
  task: TreeTask,
): TreeTaskResults["hash" | "index"] | Promise<TreeTaskResults["encode_snapshot" | "decode_snapshot"]> {
  switch (task.kind) {
    case "hash":
      hashNewNodes(task.levels, task.start, task.end, task.height);
      return isSharedMemory(task.levels[0]) ? undefined : task.levels;
    case "index": {
      const index = new LeafIndex();
      index.extend(task.leaves, task.count);
      return index.slots;
    }
    case "encode_snapshot":
      return encodeSnapshot(task.snapshot, task.key);
    case "decode_snapshot":
      return decodeSnapshot(task.bytes, task.key);
  }
}

export function isSharedMemory(bytes: Uint8Array): boolean {
  return typeof SharedArrayBuffer !== "undefined" && bytes.buffer instanceof SharedArrayBuffer;
}
