/**
 * The store on PostgreSQL: for several replicas, or for one whose data must outlive its machine. Each method of the port
 * is one statement or one transaction. Whoever decides about a nullifier hash first takes the lock of its name.
 */
import { Problem } from "../../core/errors.ts";
import type { ArchivedStore, ArchiveRow } from "../archive.ts";
import type { StoreIdentity } from "../identity.ts";
import {
  type Batch,
  type Cursor,
  type Deposit,
  depositOf,
  isLive,
  type Job,
  type JobChange,
  type JobId,
  type Leaves,
  type PoolId,
  type SettlingEvent,
  type StoreHealth,
  type Transfer,
  type Untruth,
  type Withdrawal,
  withdrawalOf,
} from "../store.ts";
import { archiveRows, identityIn, leavesOf, restoreRows } from "./archive.ts";
import { Database, isMisconfigured, type Query, uses } from "./database.ts";
import { leavesFrom } from "./leaves.ts";
import { Lease } from "./lease.ts";
import { assertUpToDate, migrate, SCHEMA_VERSION } from "./migrate.ts";
import {
  cursorOf,
  depositOfRow,
  element,
  jobOfRow,
  jobValues,
  transferOfRow,
  transferValues,
  withdrawalOfRow,
} from "./rows.ts";
import {
  addDeposits,
  addWithdrawals,
  insertIdentity,
  insertJob,
  insertTransfer,
  lockHashes,
  named,
  writeJob,
} from "./statements.ts";
import { paymentsOf, removeRows, setCursorBack } from "./untruth.ts";

/** Events in one transaction: few enough that nobody waits long for its locks. */
const BATCH_LIMIT = 1_000;
/** A lease that is not answered for so long is a database that does not answer. */
const OVERDUE_MS = 2_000;

/**
 * Connects to a database and brings its schema up to date.
 *
 * @param url `postgres://user:password@host:port/database`, with the driver's parameters, like `sslmode`
 * @throws {Problem} `store_unavailable` when it does not answer; `invalid_config` when it refuses us or cannot be used
 */
export async function openPostgresStore(
  url: string,
  { create = true }: { readonly create?: boolean } = {},
): Promise<ArchivedStore> {
  const { database } = await opened(url, create ? (database) => migrate(database) : assertUpToDate);
  database.requireSchema(SCHEMA_VERSION);
  return new PostgresStore(
    database,
    new Database(url, uses.lead, database),
    new Database(url, uses.api, database),
  );
}

/** Only brings the schema up to date; returns the versions found and left. Throws as {@linkcode openPostgresStore}. */
export async function migratePostgres(url: string): Promise<{ found: number; now: number }> {
  const { database, found, now } = await opened(url, (database) => migrate(database));
  await database.close();
  return { found, now };
}

async function opened<T>(
  url: string,
  prepare: (database: Database) => Promise<T>,
): Promise<{ database: Database } & T> {
  const database = new Database(url);
  try {
    return { database, ...await prepare(database) };
  } catch (error) {
    await database.close();
    if (!(error instanceof Problem) || !isMisconfigured(error)) throw error;
    const detail = "the server refuses this user, password or database";
    throw new Problem("invalid_config", undefined, {
      errors: [{ pointer: "DATABASE_URL", detail }],
      cause: error.cause,
    });
  }
}

class PostgresStore implements ArchivedStore {
  readonly batchLimit = BATCH_LIMIT;
  readonly shared = true;
  /** For the journal, and what only the leader asks. */
  readonly #database: Database;
  readonly #leading: Database;
  /** For what callers of the API ask. */
  readonly #asked: Database;
  readonly #lease = new Lease();
  #leadAskedAt: number | undefined;

  constructor(database: Database, leading: Database, asked: Database) {
    this.#database = database;
    this.#leading = leading;
    this.#asked = asked;
  }

  health(): StoreHealth {
    // The lease is asked for all the time: its silence is noticed before anything has been waited for in full.
    const isOverdue = this.#leadAskedAt !== undefined && performance.now() - this.#leadAskedAt > OVERDUE_MS;
    if (isOverdue) return { ok: false, reason: "the database does not answer (no answer in time)" };
    return this.#database.health;
  }

  async lead(ms: number): Promise<boolean> {
    this.#leadAskedAt = performance.now();
    try {
      return await this.#lease.take(this.#leading, ms);
    } finally {
      this.#leadAskedAt = undefined;
    }
  }

  async resign(): Promise<void> {
    await this.#lease.release(this.#leading);
  }

  async cursor(pool: PoolId): Promise<Cursor | undefined> {
    const [row] = await this.#database.query("select lt, hash from sync_cursor where pool = $1", [pool]);
    return row && cursorOf(row);
  }

  async apply(
    { pool, events, from, to }: Batch,
    settle: (job: Job, event: SettlingEvent) => Job | undefined,
  ): Promise<void> {
    if (events.length > BATCH_LIMIT) throw new RangeError(`a batch holds at most ${BATCH_LIMIT} events`);
    await this.#journal(async (query) => {
      await moveCursor(query, pool, from, to);
      const settling = events.flatMap((event): SettlingEvent[] => {
        if (event.kind === "deposit" || event.nullifierHash === undefined) return [];
        return [{ ...event, nullifierHash: event.nullifierHash }];
      });
      await lockHashes(query, settling.map(({ nullifierHash }) => nullifierHash));
      await addDeposits(query, pool, events.filter((event) => event.kind === "deposit").map(depositOf));
      await addWithdrawals(
        query,
        pool,
        events.filter((event) => event.kind === "withdrawal").map(withdrawalOf),
      );
      await settleJobs(query, pool, settling, settle);
    });
  }

  async takeBack({ pool, from, to, leaves, payments }: Untruth, reopen: JobChange): Promise<void> {
    await this.#journal(async (query) => {
      await setCursorBack(query, pool, from, to);
      await lockHashes(query, payments);
      await removeRows(query, pool, leaves, payments);
      for (const job of (await jobsIn(query, pool, payments)).values()) {
        const reopened = reopen(job);
        if (reopened !== undefined) await writeJob(query, reopened);
      }
    });
  }

  payments(pool: PoolId): AsyncIterable<Withdrawal> {
    return paymentsOf(this.#database.query, pool);
  }

  leaves(pool: PoolId, leafIndex: number): AsyncIterable<Leaves> {
    return leavesFrom(this.#database.query, pool, leafIndex);
  }

  async deposit(pool: PoolId, commitment: bigint): Promise<Deposit | undefined> {
    const [row] = await this.#asked.query(
      "select * from deposits where pool = $1 and commitment = $2",
      named(pool, commitment),
    );
    return row && depositOfRow(row);
  }

  async withdrawal(pool: PoolId, nullifierHash: bigint): Promise<Withdrawal | undefined> {
    return await withdrawalIn(this.#asked.query, { pool, nullifierHash });
  }

  async job(id: JobId): Promise<Job | undefined> {
    return await jobIn(this.#asked.query, id);
  }

  async addJob(job: Job, replaces: (existing: Job) => boolean): Promise<Job | Withdrawal | undefined> {
    return await this.#asked.transaction(async (query) => {
      await lockHashes(query, [job.nullifierHash]);
      const existing = await jobIn(query, job, "for update");
      if (existing && (isLive(existing) || !replaces(existing))) return existing;
      const withdrawal = await withdrawalIn(query, job);
      if (withdrawal) return withdrawal;
      if (existing) await writeJob(query, job);
      else await query(insertJob, jobValues(job));
      return undefined;
    });
  }

  async changeJob(id: JobId, change: JobChange): Promise<Job | undefined> {
    return await this.#journal(async (query) => {
      const found = await jobIn(query, id, "for update");
      const changed = found && change(found);
      if (changed === undefined) return found;
      await writeJob(query, changed);
      return changed;
    });
  }

  async liveJobs(): Promise<Job[]> {
    const rows = await this.#database.query(
      "select * from jobs where state in ('accepted', 'broadcast') order by accepted_at, nullifier_hash",
    );
    return rows.map(jobOfRow);
  }

  async transfer(): Promise<Transfer | undefined> {
    const [row] = await this.#database.query("select * from transfers");
    return row && transferOfRow(row);
  }

  async beginTransfer(transfer: Transfer): Promise<void> {
    await this.#journal(async (query) => {
      await query(insertTransfer, transferValues(transfer)); // a second row breaks the table's index
    });
  }

  async endTransfer(hash: string): Promise<void> {
    await this.#journal(async (query) => {
      await query("delete from transfers where hash = $1", [hash]);
    });
  }

  async forgetJobs(before: number): Promise<number> {
    return await this.#journal(async (query) => {
      const [{ count }] = await query(
        `with gone as (
           delete from jobs where state in ('confirmed', 'failed', 'expired') and settled_at < $1 returning 1
         ) select count(*) as count from gone`,
        [before],
      );
      return Number(count);
    });
  }

  async identity(): Promise<StoreIdentity | undefined> {
    return await identityIn(this.#database.query);
  }

  async claim({ network, wallet }: StoreIdentity): Promise<StoreIdentity> {
    return await this.#database.transaction(async (query) => {
      await query(insertIdentity, [network, wallet]);
      return (await identityIn(query))!; // the row is never deleted
    });
  }

  rows(): AsyncIterable<ArchiveRow> {
    return archiveRows(this.#database);
  }

  leavesOf(pool: PoolId, commitments: readonly bigint[]): Promise<(number | undefined)[]> {
    return leavesOf(this.#database.query, pool, commitments);
  }

  async restore(rows: AsyncIterable<ArchiveRow>): Promise<void> {
    await restoreRows(this.#database, rows);
  }

  async close(): Promise<void> {
    await Promise.all([this.#database, this.#leading, this.#asked].map((database) => database.close()));
  }

  /** A transaction that only the leader may make. */
  async #journal<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return await this.#database.transaction(async (query) => {
      await this.#lease.guard(query);
      return await work(query);
    });
  }
}

/** @throws {Problem} `store_conflict` when the stored cursor is not `from` */
async function moveCursor(query: Query, pool: PoolId, from: Cursor | undefined, to: Cursor): Promise<void> {
  const moved = from === undefined
    ? await query(
      "insert into sync_cursor (pool, lt, hash) values ($1, $2, $3) on conflict do nothing returning 1",
      [pool, to.lt, to.hash],
    )
    : await query(
      "update sync_cursor set lt = $2, hash = $3 where pool = $1 and lt = $4 and hash = $5 returning 1",
      [pool, to.lt, to.hash, from.lt, from.hash],
    );
  if (moved.length === 0) {
    throw new Problem("store_conflict", "the cursor of this pool was moved by another writer");
  }
}

async function settleJobs(
  query: Query,
  pool: PoolId,
  events: readonly SettlingEvent[],
  settle: (job: Job, event: SettlingEvent) => Job | undefined,
): Promise<void> {
  if (events.length === 0) return;
  const jobs = await jobsIn(query, pool, events.map(({ nullifierHash }) => nullifierHash));
  const changed = new Map<bigint, Job>();
  for (const event of events) {
    const job = jobs.get(event.nullifierHash);
    const settled = job && settle(job, event);
    if (settled === undefined) continue;
    jobs.set(event.nullifierHash, settled);
    changed.set(event.nullifierHash, settled);
  }
  for (const job of changed.values()) await writeJob(query, job);
}

/** Jobs by nullifier hash, locked. */
async function jobsIn(query: Query, pool: PoolId, hashes: readonly bigint[]): Promise<Map<bigint, Job>> {
  const rows = await query(
    "select * from jobs where pool = $1 and nullifier_hash = any($2::bytea[]) order by nullifier_hash for update",
    [pool, hashes.map(element)],
  );
  return new Map(rows.map(jobOfRow).map((job) => [job.nullifierHash, job]));
}

async function jobIn(query: Query, id: JobId, lock: "" | "for update" = ""): Promise<Job | undefined> {
  const [row] = await query(
    `select * from jobs where pool = $1 and nullifier_hash = $2 ${lock}`,
    named(id.pool, id.nullifierHash),
  );
  return row && jobOfRow(row);
}

async function withdrawalIn(query: Query, { pool, nullifierHash }: JobId): Promise<Withdrawal | undefined> {
  const [row] = await query(
    "select * from withdrawals where pool = $1 and nullifier_hash = $2",
    named(pool, nullifierHash),
  );
  return row && withdrawalOfRow(row);
}
