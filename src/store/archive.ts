/**
 * The port to all rows of a store, for export, verification and migration to another kind of store. Rows have a fixed
 * order and the types of the store, so that the copy is lossless.
 */
import type { IdentifiedStore, StoreIdentity } from "./identity.ts";
import type { Cursor, Deposit, Job, LedgerEntry, PoolId, Store, Transfer, Withdrawal } from "./store.ts";

export type ArchiveRow =
  | { readonly kind: "identity"; readonly identity: StoreIdentity }
  | { readonly kind: "cursor"; readonly pool: PoolId; readonly cursor: Cursor }
  | { readonly kind: "deposit"; readonly pool: PoolId; readonly deposit: Deposit }
  | { readonly kind: "withdrawal"; readonly pool: PoolId; readonly withdrawal: Withdrawal }
  | { readonly kind: "job"; readonly job: Job }
  | { readonly kind: "transfer"; readonly transfer: Transfer }
  | { readonly kind: "ledger"; readonly entry: LedgerEntry };

/** Operations of store administration. */
export interface Archive extends IdentifiedStore {
  /**
   * Streams all rows of one snapshot: identity, cursors, jobs, transfer in flight, ledger, deposits by pool and leaf,
   * withdrawals by pool. A full pool does not fit in an array. Small tables come first, so that a reader can check
   * the large ones against them.
   */
  rows(): AsyncIterable<ArchiveRow>;

  /** Looks up the leaves of commitments in batches; undefined for unknown ones. */
  findLeafIndexes(pool: PoolId, commitments: readonly bigint[]): Promise<(number | undefined)[]>;

  /**
   * Writes `rows` into this store, which must be empty. After a failure, no relayer starts on a partial import.
   * @throws {Problem} `store_not_empty`; and what `rows` throws
   */
  restore(rows: AsyncIterable<ArchiveRow>): Promise<void>;
}

/** A store with its archive. */
export type ArchivedStore = Store & Archive;
