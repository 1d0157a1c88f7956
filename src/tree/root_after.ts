/** Does not change the tree. Few leaves are hashed here in short steps, whole subtrees by `hasher`. */
import { concatBytes } from "@noble/hashes/utils.js";
import { Problem } from "../core/errors/problem.ts";
import { FIELD_BYTES, fieldFromBytes, fieldToBytes, writeFieldBytes } from "../core/crypto/field.ts";
import type { MerkleTree } from "../core/tree/merkle_tree.ts";
import { hashLevel } from "../core/crypto/poseidon.ts";
import { allocateNodes, MERKLE_TREE_HEIGHT, nodeCounts, TREE_CAPACITY } from "../core/tree/tree_levels.ts";
import { MIN_HASHED_HEIGHT, type TreeHasher } from "../core/tree/tree_hasher.ts";
import { yieldToEventLoop } from "../core/event_loop_yield.ts";
import { zeros } from "../core/tree/zeros.ts";

const SUBTREE_LEAVES = 2 ** MIN_HASHED_HEIGHT;
const MAX_HASHED_BYTES_PER_TURN = 128 * FIELD_BYTES;
const MAX_LEAVES_PER_TURN = 2_048;

export async function computeRootAfter(
  tree: Pick<MerkleTree, "size" | "root" | "levels">,
  commitments: readonly bigint[],
  hasher: Pick<TreeHasher, "hashLevels">,
): Promise<bigint> {
  const { size, root, levels } = tree;
  if (commitments.length === 0) return root;
  if (size + commitments.length > TREE_CAPACITY) throw new Problem("tree_full");
  const leaves = await elementsToBytes(commitments);
  const edge = (SUBTREE_LEAVES - size % SUBTREE_LEAVES) % SUBTREE_LEAVES; // free leaves of the last subtree
  const climb = (from: number, to: number, first: number, nodes: Uint8Array) =>
    hashRightEdge(levels, { from, to }, first, nodes);
  if (commitments.length < edge + SUBTREE_LEAVES) {
    return fieldFromBytes(await climb(0, MERKLE_TREE_HEIGHT, size, leaves));
  }
  const subtrees = await hashSubtrees(leaves.subarray(edge * FIELD_BYTES), hasher);
  const filled = edge === 0
    ? new Uint8Array()
    : await climb(0, MIN_HASHED_HEIGHT, size, leaves.subarray(0, edge * FIELD_BYTES));
  const first = Math.floor(size / SUBTREE_LEAVES);
  return fieldFromBytes(
    await climb(MIN_HASHED_HEIGHT, MERKLE_TREE_HEIGHT, first, concatBytes(filled, subtrees)),
  );
}

/** Returns the nodes of level `to` above `nodes`, the last nodes of level `from`, which start at `first`. */
async function hashRightEdge(
  levels: readonly Uint8Array[],
  { from, to }: { readonly from: number; readonly to: number },
  first: number,
  nodes: Uint8Array,
): Promise<Uint8Array> {
  for (let level = from; level < to; level++) {
    if (first % 2 === 1) {
      const left = levels[level].subarray((first - 1) * FIELD_BYTES, first * FIELD_BYTES);
      nodes = concatBytes(left, nodes);
    }
    nodes = await hashNextLevel(nodes, fieldToBytes(zeros[level]));
    first = Math.floor(first / 2);
  }
  return nodes;
}

async function hashNextLevel(nodes: Uint8Array, zero: Uint8Array): Promise<Uint8Array> {
  const above = new Uint8Array(Math.ceil(nodes.length / 2 / FIELD_BYTES) * FIELD_BYTES);
  for (let start = 0; start < nodes.length; start += MAX_HASHED_BYTES_PER_TURN) {
    if (start > 0) await yieldToEventLoop();
    above.set(hashLevel(nodes.subarray(start, start + MAX_HASHED_BYTES_PER_TURN), zero), start / 2);
  }
  return above;
}

async function hashSubtrees(leaves: Uint8Array, hasher: Pick<TreeHasher, "hashLevels">): Promise<Uint8Array> {
  const count = leaves.length / FIELD_BYTES;
  const counts = nodeCounts(count);
  const levels = counts.map((nodes, level) => allocateNodes(level, nodes));
  levels[0].set(leaves);
  await hasher.hashLevels(levels, 0, count);
  return levels[MIN_HASHED_HEIGHT].subarray(0, counts[MIN_HASHED_HEIGHT] * FIELD_BYTES);
}

async function elementsToBytes(elements: readonly bigint[]): Promise<Uint8Array> {
  const bytes = new Uint8Array(elements.length * FIELD_BYTES);
  for (const [i, element] of elements.entries()) {
    writeFieldBytes(element, bytes, i * FIELD_BYTES);
    if (i % MAX_LEAVES_PER_TURN === MAX_LEAVES_PER_TURN - 1) await yieldToEventLoop();
  }
  return bytes;
}
