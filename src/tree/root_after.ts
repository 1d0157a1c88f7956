/**
 * The root that a tree would have after more leaves, from its right edge alone: the tree stays as it is and nothing of it
 * is copied. Few leaves are hashed here, a few milliseconds at a time, the subtrees of many by `work`.
 */
import { Problem } from "../core/errors.ts";
import { FIELD_BYTES, fromBytes, toBytes, writeBytes } from "../core/field.ts";
import type { MerkleTree } from "../core/merkle_tree.ts";
import { hashLevel } from "../core/poseidon.ts";
import { allocateNodes, CAPACITY, MERKLE_TREE_HEIGHT, nodeCounts } from "../core/tree_levels.ts";
import { LEAST_HEIGHT, type TreeWork } from "../core/tree_work.ts";
import { turn } from "../core/turns.ts";
import { zeros } from "../core/zeros.ts";

/** Leaves of one subtree that `work` hashes. */
const SUBTREE = 2 ** LEAST_HEIGHT;
/** What is done before others may have their turn: bytes of nodes that are hashed, leaves that are written. */
const HASHED = 128 * FIELD_BYTES;
const WRITTEN = 2_048;

/**
 * The root of `tree` after `commitments`.
 *
 * @throws {Problem} `not_in_field`, `tree_full`, and what `work` throws
 */
export async function rootAfter(
  tree: Pick<MerkleTree, "size" | "root" | "levels">,
  commitments: readonly bigint[],
  work: Pick<TreeWork, "hash">,
): Promise<bigint> {
  const { size, root, levels } = tree;
  if (commitments.length === 0) return root;
  if (size + commitments.length > CAPACITY) throw new Problem("tree_full");
  const leaves = await bytesOf(commitments);
  const edge = (SUBTREE - size % SUBTREE) % SUBTREE; // leaves that the last subtree of the tree has room for
  const climb = (from: number, to: number, first: number, nodes: Uint8Array) =>
    climbEdge(levels, { from, to }, first, nodes);
  if (commitments.length < edge + SUBTREE) {
    return fromBytes(await climb(0, MERKLE_TREE_HEIGHT, size, leaves));
  }
  const subtrees = await rootsOf(leaves.subarray(edge * FIELD_BYTES), work);
  const filled = edge === 0
    ? new Uint8Array()
    : await climb(0, LEAST_HEIGHT, size, leaves.subarray(0, edge * FIELD_BYTES));
  const first = Math.floor(size / SUBTREE);
  return fromBytes(await climb(LEAST_HEIGHT, MERKLE_TREE_HEIGHT, first, joined(filled, subtrees)));
}

/** The nodes of level `to` above new ones of level `from`, which begin at node `first` and end the tree. */
async function climbEdge(
  levels: readonly Uint8Array[],
  { from, to }: { readonly from: number; readonly to: number },
  first: number,
  nodes: Uint8Array,
): Promise<Uint8Array> {
  for (let level = from; level < to; level++) {
    if (first % 2 === 1) {
      const left = levels[level].subarray((first - 1) * FIELD_BYTES, first * FIELD_BYTES);
      nodes = joined(left, nodes);
    }
    nodes = await hashed(nodes, toBytes(zeros[level]));
    first = Math.floor(first / 2);
  }
  return nodes;
}

async function hashed(nodes: Uint8Array, zero: Uint8Array): Promise<Uint8Array> {
  const above = new Uint8Array(Math.ceil(nodes.length / 2 / FIELD_BYTES) * FIELD_BYTES);
  for (let start = 0; start < nodes.length; start += HASHED) {
    if (start > 0) await turn();
    above.set(hashLevel(nodes.subarray(start, start + HASHED), zero), start / 2);
  }
  return above;
}

/** The roots of the subtrees that `leaves` make. */
async function rootsOf(leaves: Uint8Array, work: Pick<TreeWork, "hash">): Promise<Uint8Array> {
  const count = leaves.length / FIELD_BYTES;
  const counts = nodeCounts(count);
  const own = counts.map((nodes, level) => allocateNodes(level, nodes));
  own[0].set(leaves);
  await work.hash(own, 0, count);
  return own[LEAST_HEIGHT].subarray(0, counts[LEAST_HEIGHT] * FIELD_BYTES);
}

async function bytesOf(elements: readonly bigint[]): Promise<Uint8Array> {
  const bytes = new Uint8Array(elements.length * FIELD_BYTES);
  for (const [i, element] of elements.entries()) {
    writeBytes(element, bytes, i * FIELD_BYTES);
    if (i % WRITTEN === WRITTEN - 1) await turn();
  }
  return bytes;
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}
