/** The port to all rows of a store, for export, verification and migration. Copies are lossless. */
import type { IdentifiedStore, StoreIdentity } from "./identity.ts";
import type {
  Cursor,
  Deposit,
  Job,
  LedgerEntry,
  LogEntry,
  PoolId,
  Store,
  Transfer,
  Withdrawal,
} from "./store.ts";

export type ArchiveRow =
  | { readonly kind: "identity"; readonly identity: StoreIdentity }
  | { readonly kind: "cursor"; readonly pool: PoolId; readonly cursor: Cursor }
  | { readonly kind: "deposit"; readonly pool: PoolId; readonly deposit: Deposit }
  | { readonly kind: "withdrawal"; readonly pool: PoolId; readonly withdrawal: Withdrawal }
  | { readonly kind: "job"; readonly job: Job }
  | { readonly kind: "transfer"; readonly transfer: Transfer }
  | { readonly kind: "ledger"; readonly entry: LedgerEntry }
  | { readonly kind: "log"; readonly pool: PoolId; readonly entry: LogEntry };

export interface Archive extends IdentifiedStore {
  /** One snapshot, small tables first; then deposits by leaf, withdrawals, logs by position, each by pool. */
  rows(): AsyncIterable<ArchiveRow>;

  /** Writes `rows` into this empty store. No relayer starts on a partial import. Throws `store_not_empty`. */
  restore(rows: AsyncIterable<ArchiveRow>): Promise<void>;
}

export type ArchivedStore = Store & Archive;
