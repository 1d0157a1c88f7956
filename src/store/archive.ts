/**
 * The port to everything that a store holds, row by row: how it is exported, checked, and moved to another kind of
 * store. Rows come in one order, and hold what the store's own types hold, so that nothing is lost on the way.
 */
import type { Identified, StoreIdentity } from "./identity.ts";
import type { Cursor, Deposit, Job, PoolId, Store, Transfer, Withdrawal } from "./store.ts";

/** One row of a store. */
export type ArchiveRow =
  | { readonly kind: "identity"; readonly identity: StoreIdentity }
  | { readonly kind: "cursor"; readonly pool: PoolId; readonly cursor: Cursor }
  | { readonly kind: "deposit"; readonly pool: PoolId; readonly deposit: Deposit }
  | { readonly kind: "withdrawal"; readonly pool: PoolId; readonly withdrawal: Withdrawal }
  | { readonly kind: "job"; readonly job: Job }
  | { readonly kind: "transfer"; readonly transfer: Transfer };

/** What store administration needs. */
export interface Archive extends Identified {
  /**
   * All rows of one moment: whose it is, cursors, jobs, the transfer in flight, deposits by pool and leaf, withdrawals by pool.
   * Streamed: a full pool does not fit in one array. What is few comes first, so that a reader can hold it against
   * what is many.
   */
  rows(): AsyncIterable<ArchiveRow>;

  /** The leaf that each commitment leads to, in few questions; undefined where it leads to none. */
  leavesOf(pool: PoolId, commitments: readonly bigint[]): Promise<(number | undefined)[]>;

  /**
   * Writes `rows` into this store, which must be empty: all of them, or, when something fails, none that a relayer would
   * ever start on.
   *
   * @throws {Problem} `store_not_empty`; and what `rows` throws
   */
  restore(rows: AsyncIterable<ArchiveRow>): Promise<void>;
}

/** A store with its archive. */
export type ArchivedStore = Store & Archive;
