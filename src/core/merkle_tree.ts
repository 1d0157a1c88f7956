/**
 * The pool's Merkle tree: height 20, append-only, empty subtrees from `zeros`. It keeps every node in one byte array a
 * level, because bigint objects would take several times the room: 64 MB with all 2^20 leaves. It knows nothing of
 * deposits; what may be appended is its caller's business, but for the field.
 */
import { Problem } from "./errors.ts";
import { FIELD_BYTES, fromBytes, isFieldElement, toBytes, writeBytes } from "./field.ts";
import { LeafIndex } from "./leaf_index.ts";
import { assertElements, hashPairs } from "./poseidon.ts";
import {
  allocateNodes,
  CAPACITY,
  hashEdge,
  hashNewNodes,
  MERKLE_TREE_HEIGHT,
  nodeCounts,
} from "./tree_levels.ts";
import type { TreeWork } from "./tree_work.ts";
import { zeros } from "./zeros.ts";

export { MERKLE_TREE_HEIGHT };
/** How many of the last roots a pool accepts. */
export const ROOT_HISTORY_SIZE = 30;

/** What proves that a leaf is in the tree: the sibling on each level, leaf first, and whether the node is the right one. */
export interface MerklePath {
  readonly pathElements: bigint[];
  readonly pathIndices: number[];
}

/** See the module. */
export class MerkleTree {
  #levels = Array.from({ length: MERKLE_TREE_HEIGHT + 1 }, (_, level) => allocateNodes(level, 1));
  readonly #index = new LeafIndex();
  #size = 0;
  /** As it was last asked for, at this size. */
  #root: bigint | undefined;
  #growing = false;

  /** How many leaves were appended. */
  get size(): number {
    return this.#size;
  }

  /** The root; that of an empty tree is `zeros[20]`. */
  get root(): bigint {
    return this.#root ??= this.#node(MERKLE_TREE_HEIGHT, 0);
  }

  /**
   * Appends a leaf.
   *
   * @throws {Problem} `not_in_field`, `tree_full`; the tree is then unchanged.
   */
  append(leaf: bigint): void {
    this.appendMany([leaf]);
  }

  /**
   * Appends leaves, hashing each node above them once.
   *
   * @throws {Problem} `not_in_field`, `tree_full`; the tree is then unchanged.
   */
  appendMany(leaves: Iterable<bigint>): void {
    this.#assertResting();
    let end = this.#size;
    for (const leaf of leaves) {
      if (end === CAPACITY) throw new Problem("tree_full");
      writeBytes(leaf, this.#reserve(0, end + 1), end * FIELD_BYTES); // not part of the tree before #size says so
      end++;
    }
    this.#reserveAbove(end);
    hashNewNodes(this.#levels, this.#size, end);
    this.#grow(end, MERKLE_TREE_HEIGHT);
  }

  /**
   * Appends leaves, n * 32 big-endian bytes, with the larger part of the work done by `work`. Meanwhile the tree can be
   * read and is the old one; it cannot be appended to.
   *
   * @throws {Problem} `not_in_field`, `tree_full`, and what `work` throws; the tree is then unchanged.
   */
  async appendWith(leaves: Uint8Array, work: TreeWork): Promise<void> {
    this.#assertResting();
    assertElements(leaves);
    const start = this.#size;
    const end = start + leaves.length / FIELD_BYTES;
    if (end > CAPACITY) throw new Problem("tree_full");
    this.#growing = true;
    try {
      this.#reserve(0, end).set(leaves, start * FIELD_BYTES);
      this.#reserveAbove(end);
      const [height, slots] = await Promise.all([
        work.hash(this.#levels, start, end),
        this.#index.isLargeWork(end) ? work.index(this.#levels[0], end) : undefined,
      ]);
      if (slots) this.#index.adopt(slots, end);
      else this.#index.extend(this.#levels[0], end); // at once, so that few by few never become large work
      this.#grow(end, height);
    } catch (error) {
      this.#moveOut(); // some of the work may still go on, and write
      throw error;
    } finally {
      this.#growing = false;
    }
  }

  /** Has `work` make the index that {@linkcode indexOf} would make at its first call, which takes long in a large tree. */
  async indexWith(work: TreeWork): Promise<void> {
    const size = this.#size;
    if (this.#index.isLargeWork(size)) this.#index.adopt(await work.index(this.#levels[0], size), size);
  }

  /** Leaf `i`. Throws a RangeError outside [0, size). */
  leaf(i: number): bigint {
    this.#assertLeaf(i);
    return this.#node(0, i);
  }

  /** The number of the first leaf equal to `leaf`, or -1. The first call makes an index, which grows with the tree. */
  indexOf(leaf: bigint): number {
    if (!isFieldElement(leaf)) return -1;
    this.#index.extend(this.#levels[0], this.#size);
    return this.#index.indexOf(this.#levels[0], toBytes(leaf));
  }

  /** The path of leaf `i`. Throws a RangeError outside [0, size). */
  path(i: number): MerklePath {
    this.#assertLeaf(i);
    return this.#path(i);
  }

  /**
   * The path of the next free leaf: from `zeros[0]` it leads to the root now, from a new leaf to {@linkcode rootAfter}.
   *
   * @throws {Problem} `tree_full`
   */
  zeroPath(): MerklePath {
    if (this.#size === CAPACITY) throw new Problem("tree_full");
    return this.#path(this.#size);
  }

  /**
   * What the root would be after `append(leaf)`.
   *
   * @throws {Problem} `not_in_field`, `tree_full`
   */
  rootAfter(leaf: bigint): bigint {
    const { pathElements, pathIndices } = this.zeroPath();
    const pair = new Uint8Array(2 * FIELD_BYTES);
    let node = toBytes(leaf);
    for (const [level, right] of pathIndices.entries()) {
      pair.set(node, right * FIELD_BYTES);
      writeBytes(pathElements[level], pair, (1 - right) * FIELD_BYTES);
      node = hashPairs(pair);
    }
    return fromBytes(node);
  }

  /** The nodes by level, leaves first, 32 big-endian bytes each; not copied: they change with the tree. */
  get levels(): readonly Uint8Array[] {
    const counts = nodeCounts(this.#size);
    return this.#levels.map((nodes, level) => nodes.subarray(0, counts[level] * FIELD_BYTES));
  }

  /**
   * A tree of the {@linkcode levels} of one of `size` leaves, which are its own from now on. They are not hashed again:
   * who kept them must know that they are unchanged, and that they are field elements. Levels with room for more nodes
   * are not copied when the tree grows.
   *
   * @throws RangeError when there is no room for as many nodes as `size` leaves have
   */
  static fromLevels(size: number, levels: readonly Uint8Array[]): MerkleTree {
    const counts = nodeCounts(size);
    const fit = counts.every((count, level) => levels[level]?.length >= count * FIELD_BYTES);
    if (!Number.isInteger(size) || size < 0 || size > CAPACITY || !fit) {
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

  /** Node `i` of `level`: as hashed, or the empty subtree where no leaf is below it. */
  #node(level: number, i: number): bigint {
    if (i * 2 ** level >= this.#size) return zeros[level];
    return fromBytes(this.#levels[level].subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES));
  }

  /** Takes in the leaves up to `end`, whose new nodes are hashed up to `height`. */
  #grow(end: number, height: number): void {
    if (end > this.#size) hashEdge(this.#levels, this.#size, end, height);
    this.#size = end;
    this.#root = undefined;
  }

  #reserveAbove(end: number): void {
    for (const [level, count] of nodeCounts(end).entries()) this.#reserve(level, count);
  }

  /** The bytes of `level`, with room for `count` nodes. */
  #reserve(level: number, count: number): Uint8Array {
    const nodes = this.#levels[level];
    if (count * FIELD_BYTES <= nodes.length) return nodes;
    const grown = allocateNodes(level, count);
    grown.set(nodes);
    return this.#levels[level] = grown;
  }

  /** Goes on in memory that nobody else has. */
  #moveOut(): void {
    const nodes = this.levels;
    this.#levels = nodes.map((own, level) => allocateNodes(level, own.length / FIELD_BYTES));
    for (const [level, own] of nodes.entries()) this.#levels[level].set(own);
  }

  #assertResting(): void {
    if (this.#growing) throw new Problem("internal", "the tree is being appended to");
  }

  #assertLeaf(i: number): void {
    if (!Number.isInteger(i) || i < 0 || i >= this.#size) {
      throw new RangeError(`no leaf ${i} of ${this.#size}`);
    }
  }
}
