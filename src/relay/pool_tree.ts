/**
 * The commitment tree of one pool as this relayer serves it: paths, and pages of leaves that are encoded once when full.
 * It holds what the store holds, in memory, and is filled by the indexer alone, one step after the other.
 */
import { Buffer } from "node:buffer";
import { FIELD_BYTES } from "../core/field.ts";
import { MerkleTree } from "../core/merkle_tree.ts";
import type { Deposit, Leaves } from "../store/store.ts";
import { LeafCollector } from "../tree/leaf_collector.ts";
import { rootAfter } from "../tree/root_after.ts";
import { thisThread, type TreeService } from "../tree/tree_service.ts";
import { encodeLeaves } from "./leaf_json.ts";

/** Leaves of one encoded block. */
const BLOCK = 1_000;
/**
 * Bytes of blocks that are kept: more than a full pool's. The rest is encoded anew each time: readers go from the first
 * leaf to the last, so that making room for what was asked last would keep nothing.
 */
const MOST_KEPT = 16 * 2 ** 20;
const FIRST_TIMES = 1_024;

/** A page of leaves. */
export interface CommitmentsPage {
  readonly from: number;
  readonly count: number;
  /** null on the last page. */
  readonly nextFrom: number | null;
  /** JSON text of the array's members in UTF-8, comma separated, in pieces. All requests share them. */
  readonly items: readonly Uint8Array<ArrayBuffer>[];
}

/** What a deposit's leaf is made of. */
export type Leaf = Pick<Deposit, "commitment" | "timestamp">;

/** A Merkle path at a known root. */
export interface TreePath {
  readonly root: bigint;
  readonly pathElements: readonly bigint[];
  readonly pathIndices: readonly number[];
}

/** A pool's tree. */
export class PoolTree {
  #tree = new MerkleTree();
  /** Encoded leaves, each with a comma after it. */
  #blocks: Uint8Array<ArrayBuffer>[] = [];
  /** Their bytes. */
  #kept = 0;
  /** Unix seconds by leaf, with room for more. */
  #times: Uint32Array = new Uint32Array(FIRST_TIMES);

  /**
   * @param service does the larger work
   * @param mostKept bytes of encoded leaves that are kept
   */
  constructor(readonly service: TreeService = thisThread, readonly mostKept: number = MOST_KEPT) {}

  get size(): number {
    return this.#tree.size;
  }

  get root(): bigint {
    return this.#tree.root;
  }

  leaf(i: number): bigint {
    return this.#tree.leaf(i);
  }

  /** Every node, as {@link restore} takes them; not copied. */
  get levels(): readonly Uint8Array[] {
    return this.#tree.levels;
  }

  /** When each leaf was deposited, unix seconds. */
  get times(): Uint32Array {
    return this.#times.subarray(0, this.size);
  }

  /** Becomes the tree of these nodes and times. @throws RangeError unless they are those of `size` leaves */
  async restore(size: number, levels: readonly Uint8Array[], times: Uint32Array): Promise<void> {
    const tree = MerkleTree.fromLevels(size, levels);
    await tree.indexWith(this.service);
    this.#tree = tree;
    this.#times = times;
    this.#forgetBlocks();
  }

  /** Becomes empty. */
  clear(): void {
    this.#tree = new MerkleTree();
    this.#times = new Uint32Array(FIRST_TIMES);
    this.#forgetBlocks();
  }

  /** Until it resolves the tree is the old one. */
  async append(deposits: readonly Leaf[]): Promise<void> {
    const leaves = new LeafCollector(this.#tree, this.service);
    this.#keepTimes(this.size, deposits.map(({ timestamp }) => timestamp));
    for (const { commitment } of deposits) await leaves.add(commitment);
    await leaves.finish();
  }

  /** Whether stored leaves, from the first one on, begin with this tree's, their times too. */
  async isOf(stored: AsyncIterable<Leaves>): Promise<boolean> {
    const [leaves] = this.levels;
    let compared = 0;
    for await (const { first, commitments, times } of stored) {
      if (first !== compared) return false;
      const end = Math.min(this.size, first + times.length);
      const own = leaves.subarray(first * FIELD_BYTES, end * FIELD_BYTES);
      if (Buffer.compare(own, commitments.subarray(0, own.length)) !== 0) return false;
      for (let i = first; i < end; i++) if (this.#times[i] !== times[i - first]) return false;
      compared = end;
      if (compared === this.size) return true;
    }
    return compared === this.size;
  }

  /** What the root would be after these leaves; the tree stays as it is. */
  async rootAfter(commitments: readonly bigint[]): Promise<bigint> {
    return await rootAfter(this.#tree, commitments, this.service);
  }

  /** Appends stored leaves, streamed; stops early when `signal` aborts. */
  async load(stored: AsyncIterable<Leaves>, signal: AbortSignal): Promise<void> {
    const leaves = new LeafCollector(this.#tree, this.service);
    try {
      for await (const { first, commitments, times } of stored) {
        if (signal.aborted) return;
        if (first !== leaves.size) throw new RangeError(`stored deposits have a gap at ${first}`);
        this.#keepTimes(first, times);
        await leaves.addBytes(commitments);
      }
      await leaves.finish();
    } finally {
      await leaves.rest();
    }
  }

  #keepTimes(first: number, times: ArrayLike<number>): void {
    const end = first + times.length;
    if (end > this.#times.length) {
      const wider = new Uint32Array(Math.max(FIRST_TIMES, 2 ** Math.ceil(Math.log2(end))));
      wider.set(this.#times);
      this.#times = wider;
    }
    this.#times.set(times, first);
  }

  /** The leaf of a commitment, the first if there are several; undefined when it is not in the tree. */
  find(commitment: bigint): Pick<Deposit, "leafIndex" | "timestamp"> | undefined {
    const leafIndex = this.#tree.indexOf(commitment);
    return leafIndex < 0 ? undefined : { leafIndex, timestamp: this.#times[leafIndex] };
  }

  /** The path of a commitment; undefined when it is not in the tree. */
  path(commitment: bigint): TreePath | undefined {
    const index = this.#tree.indexOf(commitment);
    return index < 0 ? undefined : { root: this.root, ...this.#tree.path(index) };
  }

  /** Leaves `from` to `from + limit`, as far as there are any. */
  page(from: number, limit: number): CommitmentsPage {
    const end = Math.min(this.size, from + limit);
    const count = Math.max(0, end - from);
    const items: Uint8Array<ArrayBuffer>[] = [];
    for (let start = from; start < end;) {
      const block = Math.floor(start / BLOCK);
      const stop = Math.min(end, (block + 1) * BLOCK);
      const whole = start === block * BLOCK && stop - start === BLOCK;
      const piece = whole ? this.#block(block) : this.#encode(start, stop);
      items.push(stop === end ? piece.subarray(0, -1) : piece); // no comma after the last one
      start = stop;
    }
    return { from, count, nextFrom: count > 0 && end < this.size ? end : null, items };
  }

  #block(block: number): Uint8Array<ArrayBuffer> {
    const kept = this.#blocks[block];
    if (kept) return kept;
    const encoded = this.#encode(block * BLOCK, (block + 1) * BLOCK);
    if (this.#kept + encoded.length <= this.mostKept) {
      this.#blocks[block] = encoded;
      this.#kept += encoded.length;
    }
    return encoded;
  }

  #forgetBlocks(): void {
    this.#blocks = [];
    this.#kept = 0;
  }

  #encode(start: number, stop: number): Uint8Array<ArrayBuffer> {
    return encodeLeaves(this.#tree.levels[0], start, stop);
  }
}
