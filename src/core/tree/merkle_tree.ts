/** Levels are byte arrays: 64 MB for 2^20 leaves, several times less than bigint objects would take. */
import { Problem } from "../errors/problem.ts";
import {
  FIELD_BYTES,
  fieldFromBytes,
  fieldToBytes,
  isFieldElement,
  writeFieldBytes,
} from "../crypto/field.ts";
import type { HashedLeaves } from "./hashed_leaves.ts";
import { LeafIndex } from "./leaf_index.ts";
import { assertCanonicalElements, hashPairs } from "../crypto/poseidon.ts";
import {
  allocateNodes,
  hashEdge,
  hashNewNodes,
  MERKLE_TREE_HEIGHT,
  nodeCounts,
  TREE_CAPACITY,
} from "./tree_levels.ts";
import type { TreeHasher } from "./tree_hasher.ts";
import { zeros } from "./zeros.ts";

export { MERKLE_TREE_HEIGHT };
/** The number of recent roots that a pool reports. A version 1 pool accepts only these, a version 2 pool the last 1,024. */
export const ROOT_HISTORY_SIZE = 30;

/** A Merkle path, leaf first: the sibling on each level, and 1 where the node is the right child. */
export interface MerklePath {
  readonly pathElements: bigint[];
  readonly pathIndices: number[];
}

/**
 * The pool's append-only Merkle tree of height 20.
 * @example
 * ```ts
 * const tree = new MerkleTree();
 * tree.append(note.commitment);
 * const { pathElements, pathIndices } = tree.path(tree.indexOf(note.commitment));
 * ```
 */
export class MerkleTree {
  #levels = Array.from({ length: MERKLE_TREE_HEIGHT + 1 }, (_, level) => allocateNodes(level, 1));
  readonly #index = new LeafIndex();
  #size = 0;
  #root: bigint | undefined;
  #appending = false;

  get size(): number {
    return this.#size;
  }

  get root(): bigint {
    return this.#root ??= this.#node(MERKLE_TREE_HEIGHT, 0);
  }

  /** Appends a leaf. Throws `not_in_field` or `tree_full` and leaves the tree unchanged. */
  append(leaf: bigint): void {
    this.appendMany([leaf]);
  }

  appendMany(leaves: Iterable<bigint>): void {
    this.#assertNotAppending();
    let end = this.#size;
    for (const leaf of leaves) {
      if (end === TREE_CAPACITY) throw new Problem("tree_full");
      writeFieldBytes(leaf, this.#reserve(0, end + 1), end * FIELD_BYTES); // becomes part of the tree when #size grows
      end++;
    }
    this.#reserveAbove(end);
    hashNewNodes(this.#levels, this.#size, end);
    this.#commitAppend(end, MERKLE_TREE_HEIGHT);
  }

  /** `leaves` are n * 32 bytes. Reads see the old tree until `work` succeeds; other appends throw. */
  async appendUsing(leaves: Uint8Array, work: TreeHasher): Promise<void> {
    this.#assertNotAppending();
    assertCanonicalElements(leaves);
    const start = this.#size;
    const end = start + leaves.length / FIELD_BYTES;
    if (end > TREE_CAPACITY) throw new Problem("tree_full");
    this.#appending = true;
    try {
      this.#reserve(0, end).set(leaves, start * FIELD_BYTES);
      this.#reserveAbove(end);
      const [height, slots] = await Promise.all([
        work.hashLevels(this.#levels, start, end),
        this.#buildSlots(end, work),
      ]);
      this.#takeIndex(slots, end);
      this.#commitAppend(end, height);
    } catch (error) {
      this.#moveToNewBuffers(); // parts of the failed work may still be writing
      throw error;
    } finally {
      this.#appending = false;
    }
  }

  /** Appends hashed leaves up to number `end` without hashing them again. Throws a RangeError if they do not fit. */
  async appendHashed(hashed: HashedLeaves, end: number, work: Pick<TreeHasher, "buildIndex">): Promise<void> {
    this.#assertNotAppending();
    if (this.#size < hashed.start || end < this.#size || end > hashed.end) {
      throw new RangeError(
        `leaves ${hashed.start} to ${hashed.end} were hashed, not ${this.#size} to ${end}`,
      );
    }
    this.#appending = true;
    try {
      this.#reserve(0, end);
      this.#reserveAbove(end);
      hashed.copyLeavesTo(this.#levels[0], this.#size, end);
      this.#takeIndex(await this.#buildSlots(end, work), end);
      hashed.copyNodesTo(this.#levels, this.#size, end);
      if (end < hashed.end) hashEdge(this.#levels, end, end);
      this.#size = end;
      this.#root = undefined;
    } finally {
      this.#appending = false;
    }
  }

  async buildIndexUsing(work: Pick<TreeHasher, "buildIndex">): Promise<void> {
    const size = this.#size;
    const slots = await this.#buildSlots(size, work);
    if (slots) this.#takeIndex(slots, size);
  }

  leaf(i: number): bigint {
    this.#assertLeaf(i);
    return this.#node(0, i);
  }

  /** Returns the number of the first leaf equal to `leaf`, or -1. The first call builds an index. */
  indexOf(leaf: bigint): number {
    if (!isFieldElement(leaf)) return -1;
    this.#index.extend(this.#levels[0], this.#size);
    return this.#index.indexOf(this.#levels[0], fieldToBytes(leaf));
  }

  path(i: number): MerklePath {
    this.#assertLeaf(i);
    return this.#path(i);
  }

  /** Returns the path of the next free leaf, from `zeros[0]` to the root. Throws `tree_full`. */
  nextLeafPath(): MerklePath {
    if (this.#size === TREE_CAPACITY) throw new Problem("tree_full");
    return this.#path(this.#size);
  }

  rootAfter(leaf: bigint): bigint {
    const { pathElements, pathIndices } = this.nextLeafPath();
    const pair = new Uint8Array(2 * FIELD_BYTES);
    let node = fieldToBytes(leaf);
    for (const [level, right] of pathIndices.entries()) {
      pair.set(node, right * FIELD_BYTES);
      writeFieldBytes(pathElements[level], pair, (1 - right) * FIELD_BYTES);
      node = hashPairs(pair);
    }
    return fieldFromBytes(node);
  }

  /** The nodes by level, leaves first, 32 big-endian bytes each. Not copied: they change with the tree. */
  get levels(): readonly Uint8Array[] {
    const counts = nodeCounts(this.#size);
    return this.#levels.map((nodes, level) => nodes.subarray(0, counts[level] * FIELD_BYTES));
  }

  /** Creates a tree without copying, hashing or checking `levels`. Throws a RangeError if one is short. */
  static fromLevels(size: number, levels: readonly Uint8Array[]): MerkleTree {
    const counts = nodeCounts(size);
    const fit = counts.every((count, level) => levels[level]?.length >= count * FIELD_BYTES);
    if (!Number.isInteger(size) || size < 0 || size > TREE_CAPACITY || !fit) {
      throw new RangeError(`these are not the nodes of ${size} leaves`);
    }
    const tree = new MerkleTree();
    tree.#levels = [...levels];
    tree.#size = size;
    return tree;
  }

  #path(i: number): MerklePath {
    const pathElements = Array.from({ length: MERKLE_TREE_HEIGHT }, (_, k) => this.#node(k, (i >> k) ^ 1));
    const pathIndices = Array.from({ length: MERKLE_TREE_HEIGHT }, (_, k) => (i >> k) & 1);
    return { pathElements, pathIndices };
  }

  #node(level: number, i: number): bigint {
    if (i * 2 ** level >= this.#size) return zeros[level];
    return fieldFromBytes(this.#levels[level].subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES));
  }

  /** Returns undefined if the index can be extended at once. */
  async #buildSlots(end: number, work: Pick<TreeHasher, "buildIndex">): Promise<Uint32Array | undefined> {
    return this.#index.isExpensiveToExtend(end) ? await work.buildIndex(this.#levels[0], end) : undefined;
  }

  /** After every append, so that small ones never add up to large work. */
  #takeIndex(slots: Uint32Array | undefined, end: number): void {
    if (slots) this.#index.restore(slots, end);
    else this.#index.extend(this.#levels[0], end);
  }

  #commitAppend(end: number, height: number): void {
    if (end > this.#size) hashEdge(this.#levels, this.#size, end, height);
    this.#size = end;
    this.#root = undefined;
  }

  #reserveAbove(end: number): void {
    for (const [level, count] of nodeCounts(end).entries()) this.#reserve(level, count);
  }

  #reserve(level: number, count: number): Uint8Array {
    const nodes = this.#levels[level];
    if (count * FIELD_BYTES <= nodes.length) return nodes;
    const grown = allocateNodes(level, count);
    grown.set(nodes);
    return this.#levels[level] = grown;
  }

  #moveToNewBuffers(): void {
    const nodes = this.levels;
    this.#levels = nodes.map((own, level) => allocateNodes(level, own.length / FIELD_BYTES));
    for (const [level, own] of nodes.entries()) this.#levels[level].set(own);
  }

  #assertNotAppending(): void {
    if (this.#appending) throw new Problem("internal", "the tree is being appended to");
  }

  #assertLeaf(i: number): void {
    if (!Number.isInteger(i) || i < 0 || i >= this.#size) {
      throw new RangeError(`no leaf ${i} of ${this.#size}`);
    }
  }
}
