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
  type JobEvent,
  type JobId,
  type LeafRange,
  type LedgerEntry,
  type LogEntry,
  type PoolId,
  type Rollback,
  type StoreHealth,
  toDeposit,
  toJobEvent,
  toWithdrawal,
  type Transfer,
  type Withdrawal,
} from "../store.ts";
import { archiveRows, restoreRows } from "./archive.ts";
import { moveCursor } from "./cursors.ts";
import { connectDatabase, connectionProfiles, Database, type Query } from "./database.ts";
import {
  applyJobEvents,
  lockJobs,
  lockNullifierHashes,
  selectJob,
  selectWithdrawal,
  writeJob,
} from "./jobs.ts";
import { readLeaves } from "./leaves.ts";
import { Lease } from "./lease.ts";
import { assertSchemaCurrent, migrate, SCHEMA_VERSION } from "./migrate.ts";
import { fieldToBytea } from "./table.ts";
import {
  cursorTable,
  depositTable,
  fromJobRow,
  identityTable,
  jobTable,
  ledgerTable,
  logTable,
  readLedger,
  readPoolLog,
  readWithdrawals,
  toJobRow,
  transferTable,
  withdrawalTable,
} from "./tables.ts";
import { monotonicClock } from "../../core/time/clock.ts";

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
    return await cursorTable.find(this.database.query, "where pool = $1", [pool]);
  }

  async apply(
    { pool, events, from, to, ledger = [], log = [] }: EventBatch,
    change: (job: Job, event: JobEvent) => Job | undefined,
  ): Promise<void> {
    if (events.length > MAX_BATCH_EVENTS) {
      throw new RangeError(`a batch holds at most ${MAX_BATCH_EVENTS} events`);
    }
    await this.#leaderTransaction(async (query) => {
      await moveCursor(query, pool, from, to);
      const jobEvents = events.flatMap((event) => toJobEvent(event) ?? []);
      await lockNullifierHashes(query, jobEvents.map(({ nullifierHash }) => nullifierHash));
      const deposits = events.filter((event) => event.kind === "deposit").map(toDeposit);
      await depositTable.insert(query, deposits, pool);
      const withdrawals = events.filter((event) => event.kind === "withdrawal").map(toWithdrawal);
      await withdrawalTable.insert(query, withdrawals, pool);
      await applyJobEvents(query, pool, jobEvents, change);
      await ledgerTable.insert(query, ledger);
      await logTable.insert(query, log, pool);
    });
  }

  async rollBack(
    { pool, from, to, keptLeafCount: leaves, nullifierHashes: payments, keptLogLength = 0 }: Rollback,
    reopen: JobChange,
  ): Promise<void> {
    await this.#leaderTransaction(async (query) => {
      await moveCursor(query, pool, from, to);
      await lockNullifierHashes(query, payments);
      const remove = (rows: string, value: unknown) => query(`delete from ${rows}`, [pool, value]);
      await remove("deposits where pool = $1 and leaf_index >= $2", leaves);
      await remove(
        "withdrawals where pool = $1 and nullifier_hash = any($2::bytea[])",
        payments.map(fieldToBytea),
      );
      await remove("ledger where pool = $1 and lt > $2", to?.lt ?? 0n);
      await remove("pool_log where pool = $1 and position >= $2", keptLogLength);
      for (const job of (await lockJobs(query, pool, payments)).values()) {
        const reopened = reopen(job);
        if (reopened !== undefined) await writeJob(query, reopened);
      }
    });
  }

  withdrawals(pool: PoolId): AsyncIterable<Withdrawal> {
    return readWithdrawals(this.database.query, pool);
  }

  leaves(pool: PoolId, leafIndex: number): AsyncIterable<LeafRange> {
    return readLeaves(this.database.query, pool, leafIndex);
  }

  poolLog(pool: PoolId, position: number): AsyncIterable<LogEntry> {
    return readPoolLog(this.database.query, pool, position);
  }

  async deposit(pool: PoolId, leafIndex: number): Promise<Deposit | undefined> {
    const { query } = this.apiDatabase;
    return await depositTable.find(query, "where pool = $1 and leaf_index = $2", [pool, leafIndex]);
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
      else await jobTable.insert(query, [toJobRow(job)]);
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
    return rows.map((row) => fromJobRow(jobTable.parse(row)));
  }

  async transfer(): Promise<Transfer | undefined> {
    return await transferTable.find(this.database.query);
  }

  async beginTransfer(transfer: Transfer): Promise<void> {
    await this.#leaderTransaction(async (query) => {
      await transferTable.insert(query, [transfer]); // a second row breaks the table's index
    });
  }

  async endTransfer(hash: string, ledger: readonly LedgerEntry[] = []): Promise<void> {
    await this.#leaderTransaction(async (query) => {
      const ended = await query("delete from transfers where hash = $1 returning hash", [hash]);
      if (ended.length > 0) await ledgerTable.insert(query, ledger);
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
    return await identityTable.find(this.database.query);
  }

  async claimIdentity(identity: StoreIdentity): Promise<StoreIdentity> {
    return await this.database.transaction(async (query) => {
      await identityTable.insert(query, [identity]);
      return (await identityTable.find(query))!; // the row is never deleted
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
