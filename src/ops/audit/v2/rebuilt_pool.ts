/** Rebuilds what a version 2 pool stores from its logs. Uses no getter, so that the result can be compared with them. */
import type { Address } from "@ton/core";
import { CHUNK_SLOTS } from "../../../core/crypto/groth16.ts";
import { isFieldElement } from "../../../core/crypto/field.ts";
import { ROOT_WINDOW, V2_POOL_CAPACITY } from "../../../core/protocol/v2/pool_constants.ts";
import { SpentSet } from "../../../core/protocol/v2/spent_set.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../../../core/tree/merkle_tree.ts";
import type { Chain, TransactionId } from "../../../ton/chain.ts";
import type { PoolEvent } from "../../../ton/pool/history/pool_events.ts";
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

/** An event as its log describes it, without the transaction. */
type Logged<Kind extends PoolEvent["kind"]> = Omit<
  Extract<PoolEvent, { kind: Kind }>,
  "tx" | "sender" | "queryId" | "messageHash" | "fee" | "refund" | "recipient" | "relayer"
>;
type RebuildEvent =
  | Logged<"deposit">
  | Logged<"withdrawal">
  | Logged<"settlement">
  | Pick<PoolEvent, "kind"> & { readonly kind: "refused" | "skipped" };

export class V2PoolRebuild {
  readonly #tree = new MerkleTree();
  readonly #commitments: bigint[] = [];
  readonly #spent = new SpentSet();
  #roots: bigint[] = [];
  #rootCount = 0;
  #withdrawals = 0;
  #times = { touched: 0, settledAt: 0, waitingSince: 0 };
  #fault: string | undefined;

  /** After a fault, only withdrawals are still counted. */
  add(event: RebuildEvent): void {
    if (event.kind === "withdrawal") {
      this.#withdrawals++;
      this.#times.touched = event.timestamp;
      this.#spent.add(event.nullifierHash);
    } else if (event.kind === "deposit") this.#fault ??= this.#addDeposit(event);
    else if (event.kind === "settlement") this.#fault ??= this.#addSettlement(event);
  }

  #addDeposit({ leafIndex, commitment, timestamp }: Logged<"deposit">): string | undefined {
    const expected = this.#commitments.length;
    if (leafIndex !== expected) return `found leaf ${leafIndex}, expected leaf ${expected}`;
    if (!isFieldElement(commitment)) return `leaf ${expected} is not a field element`;
    this.#times.touched = timestamp;
    if (expected === this.#tree.size) this.#times.waitingSince = timestamp;
    this.#commitments.push(commitment);
  }

  #addSettlement({ rootNumber, newRoot, end, timestamp }: Logged<"settlement">): string | undefined {
    const settled = this.#tree.size;
    const chunkEnd = settled - settled % CHUNK_SLOTS + CHUNK_SLOTS;
    if (rootNumber !== this.#rootCount) {
      return `found settlement ${rootNumber}, expected settlement ${this.#rootCount}`;
    }
    if (end <= settled || end > chunkEnd || end > this.#commitments.length) {
      return `settlement ${rootNumber} ends at ${end}, with ${settled} of ${this.#commitments.length} settled`;
    }
    this.#tree.appendMany(this.#commitments.slice(settled, end));
    if (this.#tree.root !== newRoot) return `settlement ${rootNumber} set a root that its leaves do not give`;
    this.#times = { touched: timestamp, settledAt: timestamp, waitingSince: timestamp };
    this.#rootCount++;
    this.#roots.push(newRoot);
    if (this.#roots.length >= 2 * ROOT_WINDOW) this.#roots = this.#roots.slice(-ROOT_WINDOW);
  }

  result(): RebuiltV2Pool {
    const acceptedRoots = this.#roots.slice(-ROOT_WINDOW);
    return {
      leaves: this.#tree.size,
      commitments: this.#commitments,
      rootCount: this.#rootCount,
      acceptedRoots,
      rootHistory: this.#rootCount === 0
        ? [this.#tree.root]
        : acceptedRoots.slice(-ROOT_HISTORY_SIZE).reverse(),
      spent: this.#spent,
      times: { ...this.#times },
      withdrawals: this.#withdrawals,
      distinctNullifiers: this.#spent.size,
      ...this.#fault === undefined ? {} : { fault: this.#fault },
    };
  }
}
