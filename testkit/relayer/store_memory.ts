/** The contents of a store in memory, shared by all processes that open it. */
import type {
  Cursor,
  Deposit,
  Job,
  JobId,
  LedgerEntry,
  LogEntry,
  PoolId,
  Transfer,
  Withdrawal,
} from "../../src/store/store.ts";

/** Options of a store, for all processes that open it. */
export interface MemoryStoreOptions {
  /** Called with each written job. */
  readonly onJobWritten?: (job: Job) => void;
  /** Returns Unix milliseconds, for the lease. */
  readonly now: () => number;
  /** Whether several processes may open it. Otherwise the process that opens it leads. */
  readonly shared: boolean;
}

/** The rows of one pool. */
interface PoolRows {
  cursor: Cursor | undefined;
  readonly deposits: Deposit[];
  readonly log: LogEntry[];
  readonly withdrawals: Map<bigint, Withdrawal>;
  readonly jobs: Map<bigint, Job>;
  /** Ledger entries by logical time and transaction hash. */
  readonly ledger: Map<string, LedgerEntry>;
}

/** The rows of all pools, the transfer in flight and the lease. */
export class StoreMemory {
  readonly pools = new Map<PoolId, PoolRows>();
  readonly now: () => number;
  transfer: Transfer | undefined;
  lease = { holder: 0, until: -Infinity };
  #opened = 0;
  readonly #onJobWritten: (job: Job) => void;

  constructor({ onJobWritten = () => {}, now }: MemoryStoreOptions) {
    this.now = now;
    this.#onJobWritten = onJobWritten;
  }

  /** Returns the number of a new process. */
  open(): number {
    return ++this.#opened;
  }

  rows(pool: PoolId): PoolRows {
    let found = this.pools.get(pool);
    if (!found) {
      found = {
        cursor: undefined,
        deposits: [],
        log: [],
        withdrawals: new Map(),
        jobs: new Map(),
        ledger: new Map(),
      };
      this.pools.set(pool, found);
    }
    return found;
  }

  job({ pool, nullifierHash }: JobId): Job | undefined {
    return this.rows(pool).jobs.get(nullifierHash);
  }

  writeJob(job: Job): void {
    this.#onJobWritten(job);
    this.rows(job.pool).jobs.set(job.nullifierHash, job);
  }

  writeEntry(entry: LedgerEntry): void {
    this.rows(entry.pool).ledger.set(`${entry.lt} ${entry.txHash}`, entry);
  }
}
