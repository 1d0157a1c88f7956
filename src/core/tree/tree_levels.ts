/** Each level is one array, node i at byte 32 i, without empty subtrees; threads share it where possible. */
import { FIELD_BYTES, fieldToBytes } from "../crypto/field.ts";
import { hashLevel } from "../crypto/poseidon.ts";
import { zeros } from "./zeros.ts";

/** Levels above the leaves. */
export const MERKLE_TREE_HEIGHT = 20;
export const TREE_CAPACITY = 2 ** MERKLE_TREE_HEIGHT;

/** Nodes hashed in one WASM call: enough to amortize the call, few enough to copy. */
const MAX_BATCH_NODES = 2 ** 13;
/** Larger levels are allocated in full: unwritten pages take no memory, and nothing is copied later. */
const MAX_DOUBLING_BYTES = 2 ** 20;
const ZERO_BYTES = zeros.map(fieldToBytes);

export function nodeCounts(size: number): number[] {
  return Array.from({ length: MERKLE_TREE_HEIGHT + 1 }, (_, level) => Math.ceil(size / 2 ** level));
}

export function allocateNodes(level: number, count: number): Uint8Array {
  const full = 2 ** (MERKLE_TREE_HEIGHT - level) * FIELD_BYTES;
  const least = 2 ** Math.ceil(Math.log2(Math.max(1, count))) * FIELD_BYTES;
  const length = least > MAX_DOUBLING_BYTES ? full : least;
  return new Uint8Array(
    typeof SharedArrayBuffer === "undefined" ? new ArrayBuffer(length) : new SharedArrayBuffer(length),
  );
}

/** Hashes the nodes that only have leaves from `start` on: a tree of the earlier leaves stays readable. */
export function hashNewNodes(
  levels: readonly Uint8Array[],
  start: number,
  end: number,
  height: number = MERKLE_TREE_HEIGHT,
): void {
  for (let level = 0; level < height; level++) {
    const leaves = 2 ** (level + 1);
    hashNodes(levels, level, Math.ceil(start / leaves), Math.ceil(end / leaves), end);
  }
}

export function hashEdge(
  levels: readonly Uint8Array[],
  start: number,
  end: number,
  height: number = MERKLE_TREE_HEIGHT,
): void {
  for (let level = 0; level < MERKLE_TREE_HEIGHT; level++) {
    const leaves = 2 ** (level + 1);
    const to = Math.ceil((level < height ? start : end) / leaves);
    hashNodes(levels, level, Math.floor(start / leaves), to, end);
  }
}

function hashNodes(
  levels: readonly Uint8Array[],
  level: number,
  from: number,
  to: number,
  size: number,
): void {
  const end = Math.min(2 * to, Math.ceil(size / 2 ** level));
  for (let start = 2 * from; start < end; start += MAX_BATCH_NODES) {
    const batch = levels[level].subarray(
      start * FIELD_BYTES,
      Math.min(start + MAX_BATCH_NODES, end) * FIELD_BYTES,
    );
    levels[level + 1].set(hashLevel(batch, ZERO_BYTES[level]), start / 2 * FIELD_BYTES);
  }
}
