/** Each method is one statement or transaction. Advisory locks serialize decisions about a nullifier hash. */
import type { ArchivedStore, ArchiveRow } from "../archive.ts";
import type { StoreIdentity } from "../identity.ts";
import {
  type Cursor,
  type Deposit,
  type EventBatch,
  isLive,
  type Job,
  type JobChange,
  type JobId,
  type LeafRange,
  type LedgerEntry,
  type LogEntry,
  type PoolId,
  type Rollback,
  type SettlingEvent,
  type StoreHealth,
  toDeposit,
  toSettlingEvent,
  toWithdrawal,
  type Transfer,
  type Withdrawal,
} from "../store.ts";
import { archiveRows, readIdentity, restoreRows } from "./archive.ts";
import { moveCursor, rollBackCursor } from "./cursors.ts";
import { connectDatabase, connectionProfiles, Database, type Query } from "./database.ts";
import { INSERT_JOB_SQL, lockJobs, selectJob, settleJobs, writeJob } from "./jobs.ts";
import { readLeaves } from "./leaves.ts";
import { insertLedger, readLedger, removeLedgerAfter } from "./ledger.ts";
import { Lease } from "./lease.ts";
import { assertSchemaCurrent, migrate, SCHEMA_VERSION } from "./migrate.ts";
import { insertPoolLog, readPoolLog, removePoolLogFrom } from "./pool_log.ts";
import { listWithdrawals, removeRows, selectWithdrawal } from "./rollback.ts";
import { jobToValues, rowToCursor, rowToDeposit, rowToJob, rowToTransfer, transferToValues } from "./rows.ts";
import {
  INSERT_IDENTITY_SQL,
  INSERT_TRANSFER_SQL,
  insertDeposits,
  insertWithdrawals,
  lockNullifierHashes,
} from "./statements.ts";
import { monotonicClock } from "../../core/time.ts";

const MAX_BATCH_EVENTS = 1_000; // small enough to hold locks only briefly
const LEASE_RESPONSE_TIMEOUT_MS = 2_000; // afterwards the database counts as unavailable

/** `url` may contain driver parameters. Throws `store_unavailable`, or `invalid_config` for a bad server. */
export async function openPostgresStore(
  url: string,
  { create = true }: { readonly create?: boolean } = {},
): Promise<ArchivedStore> {
  const { database } = await connectDatabase(
    url,
    create ? (database) => migrate(database) : assertSchemaCurrent,
  );
  database.requireSchema(SCHEMA_VERSION);
  return new PostgresStore(
    database,
    new Database(url, connectionProfiles.lead, database),
    new Database(url, connectionProfiles.api, database),
  );
}

export async function migratePostgres(url: string): Promise<{ found: number; now: number }> {
  const { database, found, now } = await connectDatabase(url, (database) => migrate(database));
  await database.close();
  return { found, now };
}

class PostgresStore implements ArchivedStore {
  readonly batchLimit = MAX_BATCH_EVENTS;
  readonly isShared = true;
  readonly #lease = new Lease();
  #leaseRequestedAt: number | undefined;

  constructor(
    private readonly database: Database,
    private readonly leaseDatabase: Database,
    private readonly apiDatabase: Database,
  ) {}

  health(): StoreHealth {
    // The lease is queried continuously, so its failure is noticed early.
    const isOverdue = this.#leaseRequestedAt !== undefined &&
      monotonicClock.now() - this.#leaseRequestedAt > LEASE_RESPONSE_TIMEOUT_MS;
    if (isOverdue) return { ok: false, reason: "the database does not respond (no response in time)" };
    return this.database.health;
  }

  async acquireLease(ms: number): Promise<boolean> {
    this.#leaseRequestedAt = monotonicClock.now();
    try {
      return await this.#lease.acquire(this.leaseDatabase, ms);
    } finally {
      this.#leaseRequestedAt = undefined;
    }
  }

  async releaseLease(): Promise<void> {
    await this.#lease.release(this.leaseDatabase);
  }

  async cursor(pool: PoolId): Promise<Cursor | undefined> {
    const [row] = await this.database.query("select lt, hash from sync_cursor where pool = $1", [pool]);
    return row && rowToCursor(row);
  }

  async apply(
    { pool, events, from, to, ledger = [], log = [] }: EventBatch,
    settle: (job: Job, event: SettlingEvent) => Job | undefined,
  ): Promise<void> {
    if (events.length > MAX_BATCH_EVENTS) {
      throw new RangeError(`a batch holds at most ${MAX_BATCH_EVENTS} events`);
    }
    await this.#leaderTransaction(async (query) => {
      await moveCursor(query, pool, from, to);
      const settling = events.flatMap((event) => toSettlingEvent(event) ?? []);
      await lockNullifierHashes(query, settling.map(({ nullifierHash }) => nullifierHash));
      await insertDeposits(query, pool, events.filter((event) => event.kind === "deposit").map(toDeposit));
      await insertWithdrawals(
        query,
        pool,
        events.filter((event) => event.kind === "withdrawal").map(toWithdrawal),
      );
      await settleJobs(query, pool, settling, settle);
      await insertLedger(query, ledger);
      await insertPoolLog(query, pool, log);
    });
  }

  async rollBack(
    { pool, from, to, keptLeafCount: leaves, nullifierHashes: payments, keptLogLength = 0 }: Rollback,
    reopen: JobChange,
  ): Promise<void> {
    await this.#leaderTransaction(async (query) => {
      await rollBackCursor(query, pool, from, to);
      await lockNullifierHashes(query, payments);
      await removeRows(query, pool, leaves, payments);
      await removeLedgerAfter(query, pool, to?.lt ?? 0n);
      await removePoolLogFrom(query, pool, keptLogLength);
      for (const job of (await lockJobs(query, pool, payments)).values()) {
        const reopened = reopen(job);
        if (reopened !== undefined) await writeJob(query, reopened);
      }
    });
  }

  withdrawals(pool: PoolId): AsyncIterable<Withdrawal> {
    return listWithdrawals(this.database.query, pool);
  }

  leaves(pool: PoolId, leafIndex: number): AsyncIterable<LeafRange> {
    return readLeaves(this.database.query, pool, leafIndex);
  }

  poolLog(pool: PoolId, position: number): AsyncIterable<LogEntry> {
    return readPoolLog(this.database.query, pool, position);
  }

  async deposit(pool: PoolId, leafIndex: number): Promise<Deposit | undefined> {
    const [row] = await this.apiDatabase.query(
      "select * from deposits where pool = $1 and leaf_index = $2",
      [pool, leafIndex],
    );
    return row && rowToDeposit(row);
  }

  async withdrawal(pool: PoolId, nullifierHash: bigint): Promise<Withdrawal | undefined> {
    return await selectWithdrawal(this.apiDatabase.query, { pool, nullifierHash });
  }

  async job(id: JobId): Promise<Job | undefined> {
    return await selectJob(this.apiDatabase.query, id);
  }

  async addJob(job: Job, replaces: (existing: Job) => boolean): Promise<Job | Withdrawal | undefined> {
    return await this.apiDatabase.transaction(async (query) => {
      await lockNullifierHashes(query, [job.nullifierHash]);
      const existing = await selectJob(query, job, "for update");
      if (existing && (isLive(existing) || !replaces(existing))) return existing;
      const withdrawal = await selectWithdrawal(query, job);
      if (withdrawal) return withdrawal;
      if (existing) await writeJob(query, job);
      else await query(INSERT_JOB_SQL, jobToValues(job));
      return undefined;
    });
  }

  async changeJob(id: JobId, change: JobChange): Promise<Job | undefined> {
    return await this.#leaderTransaction(async (query) => {
      const found = await selectJob(query, id, "for update");
      const changed = found && change(found);
      if (changed === undefined) return found;
      await writeJob(query, changed);
      return changed;
    });
  }

  async liveJobs(): Promise<Job[]> {
    const rows = await this.database.query(
      "select * from jobs where state in ('accepted', 'broadcast') order by accepted_at, nullifier_hash",
    );
    return rows.map(rowToJob);
  }

  async transfer(): Promise<Transfer | undefined> {
    const [row] = await this.database.query("select * from transfers");
    return row && rowToTransfer(row);
  }

  async beginTransfer(transfer: Transfer): Promise<void> {
    await this.#leaderTransaction(async (query) => {
      await query(INSERT_TRANSFER_SQL, transferToValues(transfer)); // a second row breaks the table's index
    });
  }

  async endTransfer(hash: string, ledger: readonly LedgerEntry[] = []): Promise<void> {
    await this.#leaderTransaction(async (query) => {
      const ended = await query("delete from transfers where hash = $1 returning hash", [hash]);
      if (ended.length > 0) await insertLedger(query, ledger);
    });
  }

  ledger(since: number, until: number): AsyncIterable<LedgerEntry> {
    return readLedger(this.database.query, since, until);
  }

  async deleteEndedJobs(before: number): Promise<number> {
    return await this.#leaderTransaction(async (query) => {
      const [{ count }] = await query(
        `with gone as (
           delete from jobs where state in ('confirmed', 'superseded', 'failed', 'expired') and settled_at < $1
           returning 1
         ) select count(*) as count from gone`,
        [before],
      );
      return Number(count);
    });
  }

  async identity(): Promise<StoreIdentity | undefined> {
    return await readIdentity(this.database.query);
  }

  async claimIdentity({ network, wallet }: StoreIdentity): Promise<StoreIdentity> {
    return await this.database.transaction(async (query) => {
      await query(INSERT_IDENTITY_SQL, [network, wallet]);
      return (await readIdentity(query))!; // the row is never deleted
    });
  }

  rows(): AsyncIterable<ArchiveRow> {
    return archiveRows(this.database);
  }

  async restore(rows: AsyncIterable<ArchiveRow>): Promise<void> {
    await restoreRows(this.database, rows);
  }

  async close(): Promise<void> {
    await Promise.all(
      [this.database, this.leaseDatabase, this.apiDatabase].map((database) => database.close()),
    );
  }

  async #leaderTransaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return await this.database.transaction(async (query) => {
      await this.#lease.assertHeld(query);
      return await work(query);
    });
  }
}
