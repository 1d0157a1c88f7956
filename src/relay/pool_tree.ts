/**
 * The commitment tree of one pool as this relayer serves it: paths, and pages of leaves that are encoded once when full.
 * It holds what the store holds, in memory, and is filled by the indexer alone.
 */
import { toHex } from "../core/field.ts";
import { MerkleTree } from "../core/merkle_tree.ts";
import type { Deposit } from "../store/store.ts";

/** Leaves of one encoded block. */
const BLOCK = 1_000;
/** Deposits that are read from the store before they are hashed together. */
const LOAD_CHUNK = 1_024;

/** A page of leaves. `items` is the JSON text of the array's members, comma separated. */
export interface CommitmentsPage {
  readonly from: number;
  readonly count: number;
  /** null on the last page. */
  readonly nextFrom: number | null;
  readonly items: string;
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
  #blocks: string[] = [];

  get size(): number {
    return this.#tree.size;
  }

  get root(): bigint {
    return this.#tree.root;
  }

  leaf(i: number): bigint {
    return this.#tree.leaf(i);
  }

  /** Every node, as {@link restore} takes them. */
  nodes(): Uint8Array {
    return this.#tree.nodes();
  }

  /** Becomes the tree of these nodes. @throws RangeError unless they are those of `size` leaves */
  restore(size: number, nodes: Uint8Array): void {
    this.#tree = MerkleTree.fromNodes(size, nodes);
    this.#blocks = [];
  }

  /** Becomes empty. */
  clear(): void {
    this.#tree = new MerkleTree();
    this.#blocks = [];
  }

  append(commitments: readonly bigint[]): void {
    this.#tree.appendMany(commitments);
  }

  /** Appends stored deposits, streamed; stops early when `signal` aborts. */
  async load(deposits: AsyncIterable<Deposit>, signal: AbortSignal): Promise<void> {
    let chunk: bigint[] = [];
    for await (const { commitment, leafIndex } of deposits) {
      if (signal.aborted) return;
      if (leafIndex !== this.size + chunk.length) {
        throw new RangeError(`stored deposits have a gap at ${leafIndex}`);
      }
      if (chunk.push(commitment) === LOAD_CHUNK) {
        this.append(chunk);
        chunk = [];
      }
    }
    this.append(chunk);
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
    const parts: string[] = [];
    for (let start = from; start < end;) {
      const block = Math.floor(start / BLOCK);
      const stop = Math.min(end, (block + 1) * BLOCK);
      const whole = start === block * BLOCK && stop - start === BLOCK;
      parts.push(whole ? this.#blocks[block] ??= this.#encode(start, stop) : this.#encode(start, stop));
      start = stop;
    }
    return { from, count, nextFrom: count > 0 && end < this.size ? end : null, items: parts.join(",") };
  }

  #encode(start: number, stop: number): string {
    const items = Array.from({ length: stop - start }, (_, i) => {
      return `{"leafIndex":${start + i},"commitment":"${toHex(this.#tree.leaf(start + i))}"}`;
    });
    return items.join(",");
  }
}
