/** Reads a version 2 pool's logs for a note's owner. It reads all of them, so the endpoint learns no note. */
import type { Address, Cell } from "@ton/core";
import { Problem } from "../../../core/errors/problem.ts";
import { ROOT_WINDOW, V2_POOL_CAPACITY } from "../../../core/protocol/v2/pool_constants.ts";
import { SpentSet } from "../../../core/protocol/v2/spent_set.ts";
import type { Chain, TransactionId } from "../../chain.ts";
import type { PoolEvent } from "../history/pool_events.ts";
import { scanPoolTransactions } from "../history/scan.ts";

/** What a withdrawal adds to its proof. */
interface WithdrawalPlace {
  readonly rootNumber: number;
  readonly carried: Cell | null;
}

export class V2PoolLog {
  readonly #spent = new SpentSet();
  readonly #leaves = new Map<bigint, number[]>();
  #roots: bigint[] = [];
  #rootCount = 0;
  #cursor: TransactionId | undefined;
  settled = 0;

  constructor(readonly chain: Chain, readonly address: Address) {}

  /** Reads what is new. Throws as {@linkcode scanPoolTransactions} does. */
  async update(signal?: AbortSignal): Promise<void> {
    const scan = { after: this.#cursor, capacity: V2_POOL_CAPACITY, signal };
    for await (const { events, cursor } of scanPoolTransactions(this.chain, this.address, scan)) {
      for (const event of events) this.#add(event);
      this.#cursor = cursor;
    }
  }

  isSpent(nullifierHash: bigint): boolean {
    return this.#spent.has(nullifierHash);
  }

  /** Returns the leaves with this commitment, in order. The settled ones can be withdrawn. */
  leavesOf(commitment: bigint): readonly number[] {
    return this.#leaves.get(commitment) ?? [];
  }

  /** The roots that the pool accepts, oldest first. */
  get acceptedRoots(): readonly bigint[] {
    return this.#roots.slice(-ROOT_WINDOW);
  }

  /** Throws `unknown_root` if the pool no longer accepts the root. */
  place(root: bigint, nullifierHash: bigint): WithdrawalPlace {
    const accepted = this.acceptedRoots;
    const place = accepted.lastIndexOf(root);
    if (place < 0) throw new Problem("unknown_root", "the pool no longer accepts the proof's root");
    const rootNumber = this.#rootCount - accepted.length + place;
    return { rootNumber, carried: this.#spent.slotPath(nullifierHash) };
  }

  #add(event: PoolEvent): void {
    if (event.kind === "deposit") {
      this.#leaves.set(event.commitment, [...this.leavesOf(event.commitment), event.leafIndex]);
    } else if (event.kind === "settlement") {
      this.settled = event.end;
      this.#rootCount++;
      this.#roots.push(event.newRoot);
      if (this.#roots.length >= 2 * ROOT_WINDOW) this.#roots = this.#roots.slice(-ROOT_WINDOW);
    } else if (event.kind === "withdrawal") this.#spent.add(event.nullifierHash);
  }
}
