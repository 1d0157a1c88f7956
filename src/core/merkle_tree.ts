/**
 * The pool's Merkle tree: height 20, append-only, empty subtrees from `zeros`. It keeps every node in one byte array a
 * level, because bigint objects would take several times the room: 64 MB with all 2^20 leaves. It knows nothing of
 * deposits; what may be appended is its caller's business, but for the field.
 */
import { Problem } from "./errors.ts";
import { FIELD_BYTES, fromBytes, isFieldElement, toBytes, writeBytes } from "./field.ts";
import { LeafIndex } from "./leaf_index.ts";
import { assertElements, hashLevel, hashPairs } from "./poseidon.ts";
import { zeros } from "./zeros.ts";

/** Levels above the leaves. */
export const MERKLE_TREE_HEIGHT = 20;
/** How many of the last roots a pool accepts. */
export const ROOT_HISTORY_SIZE = 30;

/** What proves that a leaf is in the tree: the sibling on each level, leaf first, and whether the node is the right one. */
export interface MerklePath {
  readonly pathElements: bigint[];
  readonly pathIndices: number[];
}

const CAPACITY = 2 ** MERKLE_TREE_HEIGHT;
/** Nodes hashed in one call: enough to make the call's cost vanish, and little to copy into the module's memory. */
const BATCH = 2 ** 13;
const ZEROS = zeros.map(toBytes);

/** See the module. */
export class MerkleTree {
  /** Nodes by level, leaves first; node i at byte 32 i. Nodes whose subtree is empty are not there. */
  readonly #levels = Array.from({ length: MERKLE_TREE_HEIGHT + 1 }, () => new Uint8Array(FIELD_BYTES));
  readonly #index = new LeafIndex();
  #size = 0;

  /** How many leaves were appended. */
  get size(): number {
    return this.#size;
  }

  /** The root; that of an empty tree is `zeros[20]`. */
  get root(): bigint {
    return this.#node(MERKLE_TREE_HEIGHT, 0);
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
    let end = this.#size;
    for (const leaf of leaves) {
      if (end === CAPACITY) throw new Problem("tree_full");
      writeBytes(leaf, this.#reserve(0, end + 1), end * FIELD_BYTES); // not part of the tree before #size says so
      end++;
    }
    this.#hashUp(this.#size, end);
    this.#size = end;
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

  /** Every node as bytes, level after level, leaves first: what {@linkcode MerkleTree.fromNodes} takes. */
  nodes(): Uint8Array {
    const counts = nodeCounts(this.#size);
    const bytes = new Uint8Array(counts.reduce((sum, count) => sum + count, 0) * FIELD_BYTES);
    let at = 0;
    for (const [level, count] of counts.entries()) {
      bytes.set(this.#levels[level].subarray(0, count * FIELD_BYTES), at);
      at += count * FIELD_BYTES;
    }
    return bytes;
  }

  /**
   * A tree of {@linkcode nodes} that were taken from one of `size` leaves. They are not hashed again: who kept them must
   * know that they are unchanged.
   *
   * @throws {Problem} `not_in_field`; RangeError when there are not as many as `size` leaves have
   */
  static fromNodes(size: number, nodes: Uint8Array): MerkleTree {
    const inRange = Number.isInteger(size) && size >= 0 && size <= CAPACITY;
    const counts = nodeCounts(inRange ? size : 0);
    if (!inRange || nodes.length !== counts.reduce((sum, count) => sum + count, 0) * FIELD_BYTES) {
      throw new RangeError(`these are not the nodes of ${size} leaves`);
    }
    assertElements(nodes);
    const tree = new MerkleTree();
    let at = 0;
    for (const [level, count] of counts.entries()) {
      tree.#reserve(level, count).set(nodes.subarray(at, at + count * FIELD_BYTES));
      at += count * FIELD_BYTES;
    }
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

  /** Hashes every node that has one of the leaves `start` to `end` - 1 below it. */
  #hashUp(start: number, end: number): void {
    if (start === end) return;
    for (let level = 0; level < MERKLE_TREE_HEIGHT; level++) {
      const nodes = this.#levels[level];
      const parents = this.#reserve(level + 1, (end + 1) >> 1);
      for (let from = start & ~1; from < end; from += BATCH) {
        const batch = nodes.subarray(from * FIELD_BYTES, Math.min(from + BATCH, end) * FIELD_BYTES);
        parents.set(hashLevel(batch, ZEROS[level]), (from >> 1) * FIELD_BYTES);
      }
      [start, end] = [start >> 1, (end + 1) >> 1];
    }
  }

  /** The bytes of `level`, with room for `count` nodes. */
  #reserve(level: number, count: number): Uint8Array {
    const nodes = this.#levels[level];
    if (count * FIELD_BYTES <= nodes.length) return nodes;
    const grown = new Uint8Array(Math.max(count * FIELD_BYTES, 2 * nodes.length));
    grown.set(nodes);
    return this.#levels[level] = grown;
  }

  #assertLeaf(i: number): void {
    if (!Number.isInteger(i) || i < 0 || i >= this.#size) {
      throw new RangeError(`no leaf ${i} of ${this.#size}`);
    }
  }
}

/** How many nodes have one of `size` leaves below them, by level. */
function nodeCounts(size: number): number[] {
  return Array.from({ length: MERKLE_TREE_HEIGHT + 1 }, (_, level) => Math.ceil(size / 2 ** level));
}
