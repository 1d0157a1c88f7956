/** Reads a version 2 pool's logs for a note's owner. It reads all of them, so the endpoint learns no note. */
import type { Address } from "@ton/core";
import { Problem } from "../../../core/errors/problem.ts";
import { emptyLedger, nullifierKey, stepOrThrow } from "../../../core/protocol/pool_ledger.ts";
import { V2_POOL_CAPACITY } from "../../../core/protocol/v2/pool_constants.ts";
import { RootWindow } from "../../../core/protocol/v2/root_window.ts";
import type { Chain, TransactionId } from "../../chain.ts";
import type { PoolEvent } from "../history/pool_events.ts";
import { scanPoolTransactions } from "../history/scan.ts";

/** It has no tree, so it does not compare the roots of settlements with their leaves. */
export class V2PoolLog {
  readonly #spent = new Set<bigint>(); // by nullifierKey
  readonly #leaves = new Map<bigint, number[]>();
  readonly #roots = new RootWindow();
  #ledger = emptyLedger(2);
  #cursor: TransactionId | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(readonly chain: Chain, readonly address: Address) {}

  /**
   * Reads what is new, once an earlier update has ended. Throws as {@linkcode scanPoolTransactions} does, and
   * `chain_inconsistent` for logs that no pool writes: read all logs again then.
   */
  update(signal?: AbortSignal): Promise<void> {
    const reading = this.#reading.then(() => this.#update(signal)); // two updates at once would add a log twice
    this.#reading = reading.catch(() => {});
    return reading;
  }

  async #update(signal?: AbortSignal): Promise<void> {
    const scan = { after: this.#cursor, capacity: V2_POOL_CAPACITY, signal };
    for await (const { events, cursor } of scanPoolTransactions(this.chain, this.address, scan)) {
      for (const event of events) this.#add(event);
      this.#cursor = cursor;
    }
  }

  get settled(): number {
    return this.#ledger.settledLeaves;
  }

  isSpent(nullifierHash: bigint): boolean {
    return this.#spent.has(nullifierKey(2, nullifierHash));
  }

  /** The `nullifierKey` of each withdrawal, in order. They give the pool's spent set. */
  get spentKeys(): Iterable<bigint> {
    return this.#spent;
  }

  /** Returns the leaves with this commitment, in order. The settled ones can be withdrawn. */
  leavesOf(commitment: bigint): readonly number[] {
    return this.#leaves.get(commitment) ?? [];
  }

  /** The roots that the pool accepts, oldest first. */
  get acceptedRoots(): readonly bigint[] {
    return this.#roots.accepted;
  }

  /** Throws `unknown_root` if the pool no longer accepts the root. */
  rootNumber(root: bigint): number {
    const number = this.#roots.numberOf(root);
    if (number !== undefined) return number;
    throw new Problem("unknown_root", "the pool no longer accepts the proof's root");
  }

  #add(event: PoolEvent): void {
    const { ledger, effects } = stepOrThrow(this.#ledger, event, {
      hasLeaf: () => false, // copies are allowed
      isSpent: (nullifierHash) => this.isSpent(nullifierHash),
    });
    this.#ledger = ledger;
    for (const effect of effects) {
      if (effect.kind === "queued") {
        const { commitment, leafIndex } = effect;
        this.#leaves.set(commitment, [...this.leavesOf(commitment), leafIndex]);
      } else if (effect.kind === "spent") this.#spent.add(nullifierKey(2, effect.nullifierHash));
      else if (effect.root !== undefined) this.#roots.push(effect.root.value);
    }
  }
}
