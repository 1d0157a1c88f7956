/** Hashes new leaves without changing the tree. Few leaves are hashed here in short steps, whole subtrees by `hasher`. */
import { concatBytes } from "@noble/hashes/utils.js";
import { Problem } from "../core/errors/problem.ts";
import { FIELD_BYTES, fieldFromBytes, fieldToBytes, writeFieldBytes } from "../core/crypto/field.ts";
import { HashedLeaves, type NodeRange } from "../core/tree/hashed_leaves.ts";
import type { MerkleTree } from "../core/tree/merkle_tree.ts";
import { hashLevel } from "../core/crypto/poseidon.ts";
import { allocateNodes, MERKLE_TREE_HEIGHT, nodeCounts, TREE_CAPACITY } from "../core/tree/tree_levels.ts";
import { SUBTREE_HEIGHT, type TreeHasher } from "../core/tree/tree_hasher.ts";
import { yieldToEventLoop } from "../core/event_loop_yield.ts";
import { zeros } from "../core/tree/zeros.ts";

const SUBTREE_LEAVES = 2 ** SUBTREE_HEIGHT;
const MAX_HASHED_BYTES_PER_TURN = 128 * FIELD_BYTES;
const MAX_LEAVES_PER_TURN = 2_048;

/** Throws `not_in_field` or `tree_full`. */
export async function hashLeavesAfter(
  tree: Pick<MerkleTree, "size" | "root" | "levels">,
  commitments: readonly bigint[],
  hasher: Pick<TreeHasher, "hashLevels">,
): Promise<HashedLeaves> {
  const { size, root, levels } = tree;
  const end = size + commitments.length;
  if (end === size) return new HashedLeaves(size, end, root, []);
  if (end > TREE_CAPACITY) throw new Problem("tree_full");
  const leaves = await elementsToBytes(commitments);
  const edge = (SUBTREE_LEAVES - size % SUBTREE_LEAVES) % SUBTREE_LEAVES; // free leaves of the last subtree
  if (commitments.length < edge + SUBTREE_LEAVES) {
    const ranges = await hashRightEdge(levels, { level: 0, first: size, nodes: leaves }, MERKLE_TREE_HEIGHT);
    return new HashedLeaves(size, end, rootOf(ranges), ranges);
  }
  const filled = edge === 0 ? [] : await hashRightEdge(
    levels,
    { level: 0, first: size, nodes: leaves.subarray(0, edge * FIELD_BYTES) },
    SUBTREE_HEIGHT,
  );
  const subtrees = await hashSubtrees(leaves.subarray(edge * FIELD_BYTES), size + edge, hasher);
  const lowest = {
    level: SUBTREE_HEIGHT,
    first: Math.floor(size / SUBTREE_LEAVES),
    nodes: concatBytes(...filled.splice(SUBTREE_HEIGHT).map(({ nodes }) => nodes), subtrees.pop()!.nodes),
  };
  const above = await hashRightEdge(levels, lowest, MERKLE_TREE_HEIGHT);
  return new HashedLeaves(size, end, rootOf(above), [...filled, ...subtrees, ...above]);
}

const rootOf = (ranges: readonly NodeRange[]) => fieldFromBytes(ranges[ranges.length - 1].nodes);

/** Given the last nodes of one level, `lowest`, returns those of every level from it up to level `to`. */
async function hashRightEdge(
  levels: readonly Uint8Array[],
  lowest: NodeRange,
  to: number,
): Promise<NodeRange[]> {
  const ranges = [lowest];
  let { first, nodes } = lowest;
  for (let { level } = lowest; level < to; level++) {
    if (first % 2 === 1) {
      const left = levels[level].subarray((first - 1) * FIELD_BYTES, first * FIELD_BYTES);
      nodes = concatBytes(left, nodes);
    }
    nodes = await hashNextLevel(nodes, fieldToBytes(zeros[level]));
    first = Math.floor(first / 2);
    ranges.push({ level: level + 1, first, nodes });
  }
  return ranges;
}

async function hashNextLevel(nodes: Uint8Array, zero: Uint8Array): Promise<Uint8Array> {
  const above = new Uint8Array(Math.ceil(nodes.length / 2 / FIELD_BYTES) * FIELD_BYTES);
  for (let start = 0; start < nodes.length; start += MAX_HASHED_BYTES_PER_TURN) {
    if (start > 0) await yieldToEventLoop();
    above.set(hashLevel(nodes.subarray(start, start + MAX_HASHED_BYTES_PER_TURN), zero), start / 2);
  }
  return above;
}

/** Returns the nodes of the levels up to `SUBTREE_HEIGHT`. */
async function hashSubtrees(
  leaves: Uint8Array,
  first: number,
  hasher: Pick<TreeHasher, "hashLevels">,
): Promise<NodeRange[]> {
  const count = leaves.length / FIELD_BYTES;
  const counts = nodeCounts(count);
  const levels = counts.map((nodes, level) => allocateNodes(level, nodes));
  levels[0].set(leaves);
  await hasher.hashLevels(levels, 0, count);
  return levels.slice(0, SUBTREE_HEIGHT + 1).map((nodes, level) => ({
    level,
    first: first / 2 ** level,
    nodes: nodes.subarray(0, counts[level] * FIELD_BYTES),
  }));
}

async function elementsToBytes(elements: readonly bigint[]): Promise<Uint8Array> {
  const bytes = new Uint8Array(elements.length * FIELD_BYTES);
  for (const [i, element] of elements.entries()) {
    writeFieldBytes(element, bytes, i * FIELD_BYTES);
    if (i % MAX_LEAVES_PER_TURN === MAX_LEAVES_PER_TURN - 1) await yieldToEventLoop();
  }
  return bytes;
}
