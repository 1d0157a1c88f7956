/**
 * The commitment tree of one pool as this relayer serves it: paths, and pages of leaves that are encoded once when full.
 * It holds what the store holds, in memory, and is filled by the indexer alone, one step after the other.
 */
import { MerkleTree } from "../core/merkle_tree.ts";
import type { Deposit } from "../store/store.ts";
import { LeafCollector } from "../tree/leaf_collector.ts";
import { thisThread, type TreeService } from "../tree/tree_service.ts";
import { encodeLeaves } from "./leaf_json.ts";

/** Leaves of one encoded block. */
const BLOCK = 1_000;

/** A page of leaves. */
export interface CommitmentsPage {
  readonly from: number;
  readonly count: number;
  /** null on the last page. */
  readonly nextFrom: number | null;
  /** JSON text of the array's members in UTF-8, comma separated, in pieces. All requests share them. */
  readonly items: readonly Uint8Array<ArrayBuffer>[];
}

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

  /** @param service does the larger work */
  constructor(readonly service: TreeService = thisThread) {}

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

  /** Becomes the tree of these nodes. @throws RangeError unless they are those of `size` leaves */
  restore(size: number, levels: readonly Uint8Array[]): void {
    this.#tree = MerkleTree.fromLevels(size, levels);
    this.#blocks = [];
  }

  /** Becomes empty. */
  clear(): void {
    this.#tree = new MerkleTree();
    this.#blocks = [];
  }

  /** Until it resolves the tree is the old one. */
  async append(commitments: readonly bigint[]): Promise<void> {
    const leaves = new LeafCollector(this.#tree, this.service);
    for (const commitment of commitments) await leaves.add(commitment);
    await leaves.finish();
  }

  /** Appends stored deposits, streamed; stops early when `signal` aborts. */
  async load(deposits: AsyncIterable<Deposit>, signal: AbortSignal): Promise<void> {
    const leaves = new LeafCollector(this.#tree, this.service);
    try {
      for await (const { commitment, leafIndex } of deposits) {
        if (signal.aborted) return;
        if (leafIndex !== leaves.size) throw new RangeError(`stored deposits have a gap at ${leafIndex}`);
        await leaves.add(commitment);
      }
      await leaves.finish();
    } finally {
      await leaves.rest();
    }
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
      const piece = whole ? this.#blocks[block] ??= this.#encode(start, stop) : this.#encode(start, stop);
      items.push(stop === end ? piece.subarray(0, -1) : piece); // no comma after the last one
      start = stop;
    }
    return { from, count, nextFrom: count > 0 && end < this.size ? end : null, items };
  }

  #encode(start: number, stop: number): Uint8Array<ArrayBuffer> {
    return encodeLeaves(this.#tree.levels[0], start, stop);
  }
}
