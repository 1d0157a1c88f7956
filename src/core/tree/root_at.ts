/** The root that a tree had when it was smaller. */
import { concatBytes } from "@noble/hashes/utils.js";
import { FIELD_BYTES, fieldFromBytes, fieldToBytes } from "../crypto/field.ts";
import { hashPairs } from "../crypto/poseidon.ts";
import { MERKLE_TREE_HEIGHT } from "./tree_levels.ts";
import { zeros } from "./zeros.ts";

/** Returns 32 bytes. */
export type NodeReader = (level: number, i: number) => Uint8Array;

/** Reads only the first `size` leaves, and nodes that have no other leaves below them. */
export function rootAt(size: number, nodeAt: NodeReader): bigint {
  if (size === 0) return zeros[MERKLE_TREE_HEIGHT];
  let i = size - 1;
  let node = nodeAt(0, i);
  for (let level = 0; level < MERKLE_TREE_HEIGHT; level++) {
    const zero = fieldToBytes(zeros[level]);
    node = hashPairs(i % 2 === 1 ? concatBytes(nodeAt(level, i - 1), node) : concatBytes(node, zero));
    i = Math.floor(i / 2);
  }
  return fieldFromBytes(node);
}

/** `levels` are those of a tree. */
export function nodesOf(levels: readonly Uint8Array[]): NodeReader {
  return (level, i) => levels[level].subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES);
}
