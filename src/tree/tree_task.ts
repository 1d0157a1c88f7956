/** What a worker is asked to do with a tree, and how it is done: here, or in the worker. */
import { LeafIndex } from "../core/leaf_index.ts";
import { hashNewNodes } from "../core/tree_levels.ts";
import { packSnapshot, type Snapshot, unpackSnapshot } from "./snapshot.ts";

/** Work for one worker. Memory that is not shared comes as a copy, and goes back. */
export type TreeTask =
  | {
    readonly kind: "hash";
    /** Of whole subtrees of `height`; `start` and `end` are counted from their first leaf. */
    readonly levels: readonly Uint8Array[];
    readonly start: number;
    readonly end: number;
    readonly height: number;
  }
  | { readonly kind: "index"; readonly leaves: Uint8Array; readonly count: number }
  | { readonly kind: "pack"; readonly snapshot: Snapshot; readonly key: Uint8Array }
  | { readonly kind: "unpack"; readonly bytes: Uint8Array<ArrayBuffer>; readonly key: Uint8Array };

/** What comes of each. */
export interface TreeResults {
  /** The levels; undefined when they are shared, and hashed in place. */
  hash: readonly Uint8Array[] | undefined;
  index: Uint32Array;
  pack: Uint8Array<ArrayBuffer>;
  unpack: Snapshot | undefined;
}

/** Does it. */
export async function perform<One extends TreeTask>(task: One): Promise<TreeResults[One["kind"]]> {
  return await results(task) as TreeResults[One["kind"]];
}

function results(task: TreeTask): TreeResults["hash" | "index"] | Promise<TreeResults["pack" | "unpack"]> {
  switch (task.kind) {
    case "hash":
      hashNewNodes(task.levels, task.start, task.end, task.height);
      return isShared(task.levels[0]) ? undefined : task.levels;
    case "index": {
      const index = new LeafIndex();
      index.extend(task.leaves, task.count);
      return index.slots;
    }
    case "pack":
      return packSnapshot(task.snapshot, task.key);
    case "unpack":
      return unpackSnapshot(task.bytes, task.key);
  }
}

/** Whether other threads see what is written there. */
export function isShared(bytes: Uint8Array): boolean {
  return typeof SharedArrayBuffer !== "undefined" && bytes.buffer instanceof SharedArrayBuffer;
}
