/**
 * The nodes of a Merkle tree of height 20 as bytes: one array a level, leaves first, node i at byte 32 i; nodes whose
 * subtree is empty are not there. The memory is one that threads share where the runtime has it, so that workers can
 * hash in place.
 */
import { FIELD_BYTES, toBytes } from "./field.ts";
import { hashLevel } from "./poseidon.ts";
import { zeros } from "./zeros.ts";

/** Levels above the leaves. */
export const MERKLE_TREE_HEIGHT = 20;
/** Most leaves. */
export const CAPACITY = 2 ** MERKLE_TREE_HEIGHT;

/** Nodes hashed in one call: enough to make the call's cost vanish, and little to copy into the module's memory. */
const BATCH = 2 ** 13;
/** A level of more bytes takes the room of a full tree at once: what is not written takes none, and nothing is copied. */
const DOUBLED_UP_TO = 2 ** 20;
const ZEROS = zeros.map(toBytes);

/** How many nodes have one of `size` leaves below them, by level. */
export function nodeCounts(size: number): number[] {
  return Array.from({ length: MERKLE_TREE_HEIGHT + 1 }, (_, level) => Math.ceil(size / 2 ** level));
}

/** Zeroed room on `level` for at least `count` nodes. */
export function allocateNodes(level: number, count: number): Uint8Array {
  const full = 2 ** (MERKLE_TREE_HEIGHT - level) * FIELD_BYTES;
  const least = 2 ** Math.ceil(Math.log2(Math.max(1, count))) * FIELD_BYTES;
  const length = least > DOUBLED_UP_TO ? full : least;
  return new Uint8Array(
    typeof SharedArrayBuffer === "undefined" ? new ArrayBuffer(length) : new SharedArrayBuffer(length),
  );
}

/**
 * Hashes every node, up to `height` levels above the leaves, all of whose leaves are at `start` or after it and some
 * before `end`: a tree of the leaves before `start` has none of them, and can be read meanwhile.
 */
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

/** Hashes the rest that the leaves `start` to `end` - 1 change, after {@linkcode hashNewNodes} with the same arguments. */
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

/** Hashes nodes `from` to `to` - 1 of the level above `level`, in a tree of `size` leaves. */
function hashNodes(
  levels: readonly Uint8Array[],
  level: number,
  from: number,
  to: number,
  size: number,
): void {
  const end = Math.min(2 * to, Math.ceil(size / 2 ** level));
  for (let start = 2 * from; start < end; start += BATCH) {
    const batch = levels[level].subarray(start * FIELD_BYTES, Math.min(start + BATCH, end) * FIELD_BYTES);
    levels[level + 1].set(hashLevel(batch, ZEROS[level]), start / 2 * FIELD_BYTES);
  }
}
