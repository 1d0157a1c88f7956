/** Reads the queue of a version 2 pool from its logs: the settled deposits as a tree, and those that wait. */
import { Problem } from "../../core/errors/problem.ts";
import { V2_POOL_CAPACITY } from "../../core/protocol/v2/pool_constants.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { TransactionId } from "../../ton/chain.ts";
import type { PoolEvent } from "../../ton/pool/history/pool_events.ts";
import { scanPoolTransactions } from "../../ton/pool/history/scan.ts";
import type { V2Pool } from "../../ton/pool/v2/pool.ts";
import { LeafBatcher } from "../../tree/leaf_batcher.ts";
import { sharedTreeService } from "../../tree/tree_workers.ts";

/** The deposits of a pool. A later read of the same reader changes `tree`. */
export interface DepositQueue {
  /** The settled deposits. */
  readonly tree: MerkleTree;
  /** The other commitments, oldest first. */
  readonly waiting: readonly bigint[];
  /** The last transaction that was read; undefined if the pool has none. */
  readonly cursor: TransactionId | undefined;
}

/** Reads a pool's deposits from its logs. A later read continues where the last one ended. */
export class DepositQueueReader {
  #tree = new MerkleTree();
  #waiting: bigint[] = [];
  #settled = 0;
  #cursor: TransactionId | undefined;

  constructor(readonly pool: V2Pool) {}

  /**
   * Reads what is new.
   * @param options.onProgress is called with the number of transactions read
   * @throws {Problem} `chain_inconsistent` if the logs do not give a root of the pool
   */
  async read({ signal, onProgress }: {
    readonly signal?: AbortSignal | undefined;
    readonly onProgress?: ((transactions: number) => void) | undefined;
  } = {}): Promise<DepositQueue> {
    const { chain, address } = this.pool;
    const leaves = new LeafBatcher(this.#tree, sharedTreeService());
    const apply = async (events: readonly PoolEvent[]) => {
      for (const event of events) for (const leaf of this.#apply(event)) await leaves.add(leaf);
    };
    const after = this.#cursor;
    const scan = { after, capacity: V2_POOL_CAPACITY, signal, ...onProgress && { onProgress } };
    try {
      for await (const { events, cursor } of scanPoolTransactions(chain, address, scan)) {
        await apply(events);
        this.#cursor = cursor;
      }
    } catch (error) {
      if (isContradiction(error)) this.#forget(); // the next read begins anew
      throw error;
    } finally {
      await leaves.flush(); // what was read is not read again
    }
    // A settlement may follow the scan, so the tree may have an earlier root than the newest.
    if (!(await this.pool.getRootHistory({ signal })).includes(this.#tree.root)) {
      this.#forget();
      throw inconsistent("the pool's logs do not give its root yet");
    }
    return { tree: this.#tree, waiting: [...this.#waiting], cursor: this.#cursor };
  }

  #forget(): void {
    this.#tree = new MerkleTree();
    this.#waiting = [];
    this.#settled = 0;
    this.#cursor = undefined;
  }

  /** Returns the leaves that the event adds to the tree. */
  #apply(event: PoolEvent): readonly bigint[] {
    if (event.kind === "deposit") {
      const expected = this.#settled + this.#waiting.length;
      if (event.leafIndex !== expected) {
        throw inconsistent(`found leaf ${event.leafIndex}, expected leaf ${expected}`);
      }
      this.#waiting.push(event.commitment);
    } else if (event.kind === "settlement") {
      const count = event.end - this.#settled;
      if (count <= 0 || count > this.#waiting.length) {
        throw inconsistent(`a settlement ends at ${event.end}, with ${this.#waiting.length} waiting`);
      }
      this.#settled = event.end;
      return this.#waiting.splice(0, count);
    }
    return [];
  }
}

const isContradiction = (error: unknown) => error instanceof Problem && error.code === "chain_inconsistent";

const inconsistent = (detail: string) =>
  new Problem("chain_inconsistent", detail, {
    hint: "Try again; if that does not help, use another endpoint.",
  });
