/** Rebuilds what a version 2 pool stores from its logs. Uses no getter, so that the result can be compared with them. */
import type { Address } from "@ton/core";
import {
  checkRoot,
  type Contradiction,
  emptyLedger,
  type LedgerMessage,
  type SettledEffect,
  step,
} from "../../../core/protocol/pool_ledger.ts";
import { V2_POOL_CAPACITY } from "../../../core/protocol/v2/pool_constants.ts";
import { RootWindow } from "../../../core/protocol/v2/root_window.ts";
import { SpentSet } from "../../../core/protocol/v2/spent_set.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../../../core/tree/merkle_tree.ts";
import type { Chain, TransactionId } from "../../../ton/chain.ts";
import { scanPoolTransactions } from "../../../ton/pool/history/scan.ts";
import type { RebuiltTree } from "../rebuilt_tree.ts";

/** The state of a version 2 pool by its logs. `leaves` counts settled deposits. */
export interface RebuiltV2Pool extends RebuiltTree {
  readonly commitments: readonly bigint[]; // all commitments, settled and waiting, in leaf order
  readonly rootCount: number;
  readonly acceptedRoots: readonly bigint[]; // the roots that the pool accepts, oldest first
  readonly spent: SpentSet;
  /** Unix times, as the pool stores them; 0 for what has not happened. */
  readonly times: { readonly touched: number; readonly settledAt: number; readonly waitingSince: number };
}

export interface KnownHistory {
  readonly rebuild: V2PoolRebuild;
  readonly after: TransactionId;
}

/** Adds the pool's logs to those that are known. Throws `chain_inconsistent` if the known ones are not on chain. */
export async function rebuildV2Pool(
  chain: Chain,
  pool: Address,
  { known, ...options }: {
    readonly newest?: TransactionId;
    readonly signal?: AbortSignal;
    readonly onProgress?: (transactions: number) => void;
    readonly known?: KnownHistory;
  },
): Promise<RebuiltV2Pool> {
  const rebuild = known?.rebuild ?? new V2PoolRebuild();
  const scan = { ...options, capacity: V2_POOL_CAPACITY, ...known && { after: known.after } };
  for await (const { events } of scanPoolTransactions(chain, pool, scan)) {
    for (const event of events) rebuild.add(event);
  }
  return rebuild.result();
}

/** `timestamp` is in Unix seconds. */
type RebuildEvent = LedgerMessage & { readonly timestamp: number };

export class V2PoolRebuild {
  readonly #tree = new MerkleTree();
  readonly #commitments: bigint[] = [];
  readonly #spent = new SpentSet();
  #ledger = emptyLedger(2);
  readonly #roots = new RootWindow();
  #withdrawals = 0;
  #times = { touched: 0, settledAt: 0, waitingSince: 0 };
  #fault: string | undefined;

  /** After a fault, only withdrawals are still counted. */
  add(event: RebuildEvent): void {
    this.#fault ??= this.#follow(event);
    if (event.kind !== "withdrawal") return;
    this.#withdrawals++;
    this.#times.touched = event.timestamp;
    this.#spent.add(event.nullifierHash);
  }

  #follow(event: RebuildEvent): string | undefined {
    const next = step(this.#ledger, event, {
      hasLeaf: () => false, // copies are allowed
      isSpent: (nullifierHash) => this.#spent.has(nullifierHash),
    });
    if ("contradiction" in next) return next.contradiction.detail;
    for (const effect of next.effects) {
      if (effect.kind === "queued") this.#addDeposit(effect.commitment, event.timestamp);
      if (effect.kind !== "settled") continue;
      const contradiction = this.#addSettlement(effect, event.timestamp);
      if (contradiction !== undefined) return contradiction.detail;
    }
    this.#ledger = next.ledger;
  }

  #addDeposit(commitment: bigint, timestamp: number): void {
    this.#times.touched = timestamp;
    if (this.#commitments.length === this.#tree.size) this.#times.waitingSince = timestamp;
    this.#commitments.push(commitment);
  }

  #addSettlement(settled: SettledEffect, timestamp: number): Contradiction | undefined {
    this.#tree.appendMany(this.#commitments.slice(settled.from, settled.to));
    const { root } = this.#tree;
    const contradiction = checkRoot(settled, root);
    if (contradiction !== undefined) return contradiction;
    this.#times = { touched: timestamp, settledAt: timestamp, waitingSince: timestamp };
    this.#roots.push(root);
  }

  result(): RebuiltV2Pool {
    const { count: rootCount, accepted: acceptedRoots } = this.#roots;
    return {
      leaves: this.#tree.size,
      commitments: this.#commitments,
      rootCount,
      acceptedRoots,
      rootHistory: rootCount === 0 ? [this.#tree.root] : acceptedRoots.slice(-ROOT_HISTORY_SIZE).reverse(),
      spent: this.#spent,
      times: { ...this.#times },
      withdrawals: this.#withdrawals,
      distinctNullifiers: this.#spent.size,
      ...this.#fault === undefined ? {} : { fault: this.#fault },
    };
  }
}
