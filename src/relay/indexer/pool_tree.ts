/** Only the indexer fills the tree, from the store. Full blocks of leaves are encoded once. */
import { Buffer } from "node:buffer";
import { FIELD_BYTES } from "../../core/crypto/field.ts";
import { Problem } from "../../core/errors/problem.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { Deposit, LeafRange } from "../../store/store.ts";
import { LeafBatcher } from "../../tree/leaf_batcher.ts";
import { computeRootAfter } from "../../tree/root_after.ts";
import { inlineTreeService, type TreeService } from "../../tree/tree_service.ts";
import { encodeLeavesJson } from "./leaf_json.ts";

const LEAVES_PER_BLOCK = 1_000;
/** More than a full pool needs. Clients read from first to last, so an LRU cache would never hit. */
const MAX_CACHED_BYTES = 16 * 2 ** 20;
const INITIAL_CAPACITY_LEAVES = 1_024;

export interface CommitmentsPage {
  readonly from: number;
  readonly count: number;
  /** null on the last page. */
  readonly nextFrom: number | null;
  /** The array's members as JSON in UTF-8, comma separated, in shared pieces. */
  readonly items: readonly Uint8Array<ArrayBuffer>[];
}

export type NewLeaf = Pick<Deposit, "commitment" | "timestamp">;

/** Throws `chain_inconsistent` unless the leaves have the indexes from `size` on. */
export function assertLeavesFollow(leaves: readonly { readonly leafIndex: number }[], size: number): void {
  for (const [i, { leafIndex }] of leaves.entries()) {
    if (leafIndex === size + i) continue;
    throw new Problem(
      "chain_inconsistent",
      `a deposit has leaf index ${leafIndex}, expected ${size + i}`,
    );
  }
}

export interface TreePath {
  readonly root: bigint;
  readonly pathElements: readonly bigint[];
  readonly pathIndices: readonly number[];
}

export class PoolTree {
  #tree = new MerkleTree();
  /** Encoded leaves, each followed by a comma. */
  #blocks: Uint8Array<ArrayBuffer>[] = [];
  #cachedBytes = 0;
  /** Unix seconds by leaf, with spare capacity. */
  #times: Uint32Array = new Uint32Array(INITIAL_CAPACITY_LEAVES);

  constructor(
    readonly service: TreeService = inlineTreeService,
    readonly maxCachedBytes: number = MAX_CACHED_BYTES,
  ) {}

  get size(): number {
    return this.#tree.size;
  }

  get root(): bigint {
    return this.#tree.root;
  }

  leaf(i: number): bigint {
    return this.#tree.leaf(i);
  }

  /** In the format of {@linkcode restore}; not copied. */
  get levels(): readonly Uint8Array[] {
    return this.#tree.levels;
  }

  /** Unix seconds. */
  get times(): Uint32Array {
    return this.#times.subarray(0, this.size);
  }

  /** Replaces the tree. Throws a RangeError unless nodes and times match `size` leaves. */
  async restore(size: number, levels: readonly Uint8Array[], times: Uint32Array): Promise<void> {
    const tree = MerkleTree.fromLevels(size, levels);
    await tree.buildIndexUsing(this.service);
    this.#tree = tree;
    this.#times = times;
    this.#clearBlocks();
  }

  clear(): void {
    this.#tree = new MerkleTree();
    this.#times = new Uint32Array(INITIAL_CAPACITY_LEAVES);
    this.#clearBlocks();
  }

  /** The old tree stays in place until the promise resolves. */
  async append(deposits: readonly NewLeaf[]): Promise<void> {
    const leaves = new LeafBatcher(this.#tree, this.service);
    this.#setTimes(this.size, deposits.map(({ timestamp }) => timestamp));
    for (const { commitment } of deposits) await leaves.add(commitment);
    await leaves.flush();
  }

  async matchesStoredLeaves(stored: AsyncIterable<LeafRange>): Promise<boolean> {
    const [leaves] = this.levels;
    let compared = 0;
    for await (const { firstIndex: first, commitments, times } of stored) {
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

  /** Does not change the tree. */
  async rootAfter(commitments: readonly bigint[]): Promise<bigint> {
    return await computeRootAfter(this.#tree, commitments, this.service);
  }

  /** Stops early when `signal` aborts. */
  async load(stored: AsyncIterable<LeafRange>, signal: AbortSignal): Promise<void> {
    const leaves = new LeafBatcher(this.#tree, this.service);
    try {
      for await (const { firstIndex: first, commitments, times } of stored) {
        if (signal.aborted) return;
        if (first !== leaves.size) throw new RangeError(`stored deposits have a gap at ${first}`);
        this.#setTimes(first, times);
        await leaves.addBytes(commitments);
      }
      await leaves.flush();
    } finally {
      await leaves.waitUntilIdle();
    }
  }

  #setTimes(first: number, times: ArrayLike<number>): void {
    const end = first + times.length;
    if (end > this.#times.length) {
      const wider = new Uint32Array(Math.max(INITIAL_CAPACITY_LEAVES, 2 ** Math.ceil(Math.log2(end))));
      wider.set(this.#times);
      this.#times = wider;
    }
    this.#times.set(times, first);
  }

  find(commitment: bigint): Pick<Deposit, "leafIndex" | "timestamp"> | undefined {
    const leafIndex = this.#tree.indexOf(commitment);
    return leafIndex < 0 ? undefined : { leafIndex, timestamp: this.#times[leafIndex] };
  }

  path(commitment: bigint): TreePath | undefined {
    const index = this.#tree.indexOf(commitment);
    return index < 0 ? undefined : { root: this.root, ...this.#tree.path(index) };
  }

  page(from: number, limit: number): CommitmentsPage {
    const end = Math.min(this.size, from + limit);
    const count = Math.max(0, end - from);
    const items: Uint8Array<ArrayBuffer>[] = [];
    for (let start = from; start < end;) {
      const block = Math.floor(start / LEAVES_PER_BLOCK);
      const stop = Math.min(end, (block + 1) * LEAVES_PER_BLOCK);
      const whole = start === block * LEAVES_PER_BLOCK && stop - start === LEAVES_PER_BLOCK;
      const piece = whole ? this.#block(block) : this.#encode(start, stop);
      items.push(stop === end ? piece.subarray(0, -1) : piece); // no comma after the last one
      start = stop;
    }
    return { from, count, nextFrom: count > 0 && end < this.size ? end : null, items };
  }

  #block(block: number): Uint8Array<ArrayBuffer> {
    const cached = this.#blocks[block];
    if (cached) return cached;
    const encoded = this.#encode(block * LEAVES_PER_BLOCK, (block + 1) * LEAVES_PER_BLOCK);
    if (this.#cachedBytes + encoded.length <= this.maxCachedBytes) {
      this.#blocks[block] = encoded;
      this.#cachedBytes += encoded.length;
    }
    return encoded;
  }

  #clearBlocks(): void {
    this.#blocks = [];
    this.#cachedBytes = 0;
  }

  #encode(start: number, stop: number): Uint8Array<ArrayBuffer> {
    return encodeLeavesJson(this.#tree.levels[0], start, stop);
  }
}
