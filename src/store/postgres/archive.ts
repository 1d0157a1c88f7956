/** Exports and imports a database in pages, so that memory use does not depend on a pool's size. */
import { Problem } from "../../core/errors/problem.ts";
import type { ArchiveRow } from "../archive.ts";
import type { StoreIdentity } from "../identity.ts";
import type { Deposit, LedgerEntry, LogEntry, PoolId, Withdrawal } from "../store.ts";
import type { Database, Query } from "./database.ts";
import { INSERT_JOB_SQL } from "./jobs.ts";
import { insertLedger, readLedger } from "./ledger.ts";
import { insertPoolLog, readPoolLog } from "./pool_log.ts";
import {
  jobToValues,
  rowToCursor,
  rowToDeposit,
  rowToJob,
  rowToTransfer,
  rowToWithdrawal,
  transferToValues,
} from "./rows.ts";
import { LOG_EARLIER_PAYMENTS_SQL } from "./schema.ts";
import {
  INSERT_IDENTITY_SQL,
  INSERT_TRANSFER_SQL,
  insertDeposits,
  insertWithdrawals,
  readPages,
} from "./statements.ts";

const PAGE_SIZE = 5_000;
const STORE_TABLES = [
  "deposits",
  "withdrawals",
  "sync_cursor",
  "jobs",
  "transfers",
  "identity",
  "ledger",
  "pool_log",
];

export async function* readDeposits(query: Query, pool: PoolId, leafIndex: number): AsyncIterable<Deposit> {
  const rows = readPages(
    query,
    `select leaf_index, commitment, "timestamp", tx_hash from deposits
     where leaf_index >= $1 and pool = $2 order by leaf_index`,
    { start: [leafIndex], after: (last) => [Number(last.leaf_index) + 1], fixed: [pool] },
  );
  for await (const row of rows) yield rowToDeposit(row);
}

export async function* archiveRows(database: Database): AsyncIterable<ArchiveRow> {
  const channel = new TransformStream<ArchiveRow, ArchiveRow>();
  const writer = channel.writable.getWriter();
  const reading = database.snapshot(async (query) => {
    for await (const row of readAllRows(query)) await writer.write(row);
    await writer.close();
  });
  reading.catch((error) => writer.abort(error));
  try {
    yield* channel.readable;
  } finally {
    await reading.catch(() => {}); // reported by the stream, or the reader stopped early
  }
}

async function* readAllRows(query: Query): AsyncIterable<ArchiveRow> {
  const identity = await readIdentity(query);
  if (identity) yield { kind: "identity", identity };
  for (const row of await query("select * from sync_cursor order by pool")) {
    yield { kind: "cursor", pool: row.pool as string, cursor: rowToCursor(row) };
  }
  for await (const row of readTable(query, "jobs")) yield { kind: "job", job: rowToJob(row) };
  for (const row of await query("select * from transfers")) {
    yield { kind: "transfer", transfer: rowToTransfer(row) };
  }
  for await (const entry of readLedger(query, 0, Number.MAX_SAFE_INTEGER)) yield { kind: "ledger", entry };
  for (const { pool } of await query("select distinct pool from deposits order by pool")) {
    for await (const deposit of readDeposits(query, pool as string, 0)) {
      yield { kind: "deposit", pool: pool as string, deposit };
    }
  }
  for await (const row of readTable(query, "withdrawals")) {
    yield { kind: "withdrawal", pool: row.pool as string, withdrawal: rowToWithdrawal(row) };
  }
  for (const { pool } of await query("select distinct pool from pool_log order by pool")) {
    for await (const entry of readPoolLog(query, pool as string, 0)) {
      yield { kind: "log", pool: pool as string, entry };
    }
  }
}

export async function readIdentity(query: Query): Promise<StoreIdentity | undefined> {
  const [row] = await query("select network, wallet from identity");
  return row && { network: row.network as StoreIdentity["network"], wallet: row.wallet as string };
}

function readTable(query: Query, table: "withdrawals" | "jobs") {
  return readPages(
    query,
    `select * from ${table} where (pool, nullifier_hash) > ($1, $2::bytea) order by pool, nullifier_hash`,
    { start: ["", ""], after: (last) => [last.pool, last.nullifier_hash] },
  );
}

export async function restoreRows(database: Database, rows: AsyncIterable<ArchiveRow>): Promise<void> {
  await database.longTransaction(async (query) => {
    await query(`lock table ${STORE_TABLES.join(", ")} in exclusive mode`);
    for (const table of STORE_TABLES) {
      if ((await query(`select 1 from ${table} limit 1`)).length > 0) throw new Problem("store_not_empty");
    }
    const [leader] = await query("select 1 from lease where expires_at > clock_timestamp()");
    if (leader) throw new Problem("store_not_empty", "a relayer runs on this database");
    const deposits = new RowBuffer<Deposit>((pool, page) => insertDeposits(query, pool, page));
    const withdrawals = new RowBuffer<Withdrawal>((pool, page) => insertWithdrawals(query, pool, page));
    const ledger = new RowBuffer<LedgerEntry>((_pool, page) => insertLedger(query, page));
    const log = new RowBuffer<LogEntry>((pool, page) => insertPoolLog(query, pool, page));
    for await (const row of rows) {
      if (row.kind === "deposit") await deposits.add(row.pool, row.deposit);
      else if (row.kind === "withdrawal") await withdrawals.add(row.pool, row.withdrawal);
      else if (row.kind === "ledger") await ledger.add(row.entry.pool, row.entry);
      else if (row.kind === "log") await log.add(row.pool, row.entry);
      else if (row.kind === "job") await query(INSERT_JOB_SQL, jobToValues(row.job));
      else if (row.kind === "identity") {
        await query(INSERT_IDENTITY_SQL, [row.identity.network, row.identity.wallet]);
      } else if (row.kind === "transfer") await query(INSERT_TRANSFER_SQL, transferToValues(row.transfer));
      else {
        await query("insert into sync_cursor (pool, lt, hash) values ($1, $2, $3)", [
          row.pool,
          row.cursor.lt,
          row.cursor.hash,
        ]);
      }
    }
    await ledger.flush();
    await deposits.flush();
    await withdrawals.flush();
    await log.flush();
    await query(LOG_EARLIER_PAYMENTS_SQL); // an export of an earlier release lacks them
    await query("analyze deposits, withdrawals"); // without statistics, page reads scan the whole table until autovacuum runs
  });
}

class RowBuffer<T> {
  #pool = "";
  #rows: T[] = [];

  constructor(readonly write: (pool: PoolId, rows: readonly T[]) => Promise<void>) {}

  async add(pool: PoolId, row: T): Promise<void> {
    if (pool !== this.#pool) await this.flush();
    this.#pool = pool;
    if (this.#rows.push(row) === PAGE_SIZE) await this.flush();
  }

  async flush(): Promise<void> {
    await this.write(this.#pool, this.#rows);
    this.#rows = [];
  }
}
