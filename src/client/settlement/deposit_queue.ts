/** Reads the queue of a version 2 pool from its logs: the settled deposits as a tree, and those that wait. */
import { Problem } from "../../core/errors/problem.ts";
import { emptyLedger, nullifierKey, type PoolLedger, step } from "../../core/protocol/pool_ledger.ts";
import { V2_POOL_CAPACITY } from "../../core/protocol/v2/pool_constants.ts";
import { UncheckedRoots } from "../../core/protocol/v2/root_window.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import { nodesOf, rootAt } from "../../core/tree/root_at.ts";
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
  #past = emptyPast();

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
    const past = this.#past;
    const leaves = new LeafBatcher(past.tree, sharedTreeService());
    const apply = async (events: readonly PoolEvent[]) => {
      for (const event of events) for (const leaf of follow(past, event)) await leaves.add(leaf);
    };
    const { cursor: after } = past;
    const scan = {
      ...after && { after },
      capacity: V2_POOL_CAPACITY,
      signal,
      ...onProgress && { onProgress },
    };
    try {
      for await (const { events, cursor } of scanPoolTransactions(chain, address, scan)) {
        await apply(events);
        past.cursor = cursor;
      }
    } catch (error) {
      if (isContradiction(error)) this.#past = emptyPast(); // the next read begins anew
      throw error;
    } finally {
      await leaves.flush(); // what was read is not read again
    }
    const nodes = nodesOf(past.tree.levels);
    const wrongRoot = await past.unchecked.check((size) => rootAt(size, nodes));
    // A settlement may follow the scan, so the tree may have an earlier root than the newest.
    const isKnown = (await this.pool.getRootHistory({ signal })).includes(past.tree.root);
    if (wrongRoot !== undefined || !isKnown) {
      this.#past = emptyPast();
      throw inconsistent(wrongRoot?.detail ?? "the pool's logs do not give its root yet");
    }
    return { tree: past.tree, waiting: [...past.waiting], cursor: past.cursor };
  }
}

/** What the logs contain up to `cursor`. */
interface Past {
  ledger: PoolLedger;
  readonly tree: MerkleTree;
  readonly unchecked: UncheckedRoots;
  readonly waiting: bigint[];
  readonly spent: Set<bigint>; // by nullifierKey
  cursor: TransactionId | undefined;
}

function emptyPast(): Past {
  return {
    ledger: emptyLedger(2),
    tree: new MerkleTree(),
    unchecked: new UncheckedRoots(),
    waiting: [],
    spent: new Set(),
    cursor: undefined,
  };
}

/** Returns the leaves that the event adds to the tree. */
function follow(past: Past, event: PoolEvent): readonly bigint[] {
  const { waiting, spent, unchecked } = past;
  const next = step(past.ledger, event, {
    hasLeaf: () => false, // copies are allowed
    isSpent: (nullifierHash) => spent.has(nullifierKey(2, nullifierHash)),
  });
  if ("contradiction" in next) throw inconsistent(next.contradiction.detail);
  past.ledger = next.ledger;
  return next.effects.flatMap((effect) => {
    if (effect.kind === "queued") waiting.push(effect.commitment);
    if (effect.kind === "spent") spent.add(nullifierKey(2, effect.nullifierHash));
    if (effect.kind !== "settled") return [];
    unchecked.add(effect);
    return waiting.splice(0, effect.to - effect.from);
  });
}

const isContradiction = (error: unknown) => error instanceof Problem && error.code === "chain_inconsistent";

const inconsistent = (detail: string) =>
  new Problem("chain_inconsistent", detail, {
    hint: "Try again; if that does not help, use another endpoint.",
  });
