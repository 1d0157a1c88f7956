/** Exports and imports a database in pages, so that memory use does not depend on a pool's size. */
import { Problem } from "../../core/errors/problem.ts";
import type { ArchiveRow } from "../archive.ts";
import type { PoolId } from "../store.ts";
import type { Database, Query } from "./database.ts";
import { LOG_EARLIER_PAYMENTS_SQL } from "./schema.ts";
import { fieldToBytea, type Table } from "./table.ts";
import {
  cursorTable,
  depositTable,
  fromJobRow,
  identityTable,
  jobTable,
  ledgerTable,
  logTable,
  readDeposits,
  readLedger,
  readPoolLog,
  readWithdrawals,
  toJobRow,
  transferTable,
  withdrawalTable,
} from "./tables.ts";

const PAGE_SIZE = 5_000;
const STORE_TABLES = [
  ...[depositTable, withdrawalTable, cursorTable, jobTable, transferTable, identityTable],
  ...[ledgerTable, logTable],
].map(({ name }) => name);

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
  const identity = await identityTable.find(query);
  if (identity) yield { kind: "identity", identity };
  for (const row of await query("select * from sync_cursor order by pool")) {
    yield { kind: "cursor", pool: row.pool as string, cursor: cursorTable.parse(row) };
  }
  const jobs = jobTable.read(
    query,
    "where (pool, nullifier_hash) > ($1, $2::bytea) order by pool, nullifier_hash",
    { start: ["", ""], after: ({ pool, nullifierHash }) => [pool, fieldToBytea(nullifierHash)] },
  );
  for await (const job of jobs) yield { kind: "job", job: fromJobRow(job) };
  const transfer = await transferTable.find(query);
  if (transfer) yield { kind: "transfer", transfer };
  for await (const entry of readLedger(query, 0, Number.MAX_SAFE_INTEGER)) yield { kind: "ledger", entry };
  for (const pool of await listPools(query, depositTable)) {
    for await (const deposit of readDeposits(query, pool)) yield { kind: "deposit", pool, deposit };
  }
  for (const pool of await listPools(query, withdrawalTable)) {
    for await (const withdrawal of readWithdrawals(query, pool)) {
      yield { kind: "withdrawal", pool, withdrawal };
    }
  }
  for (const pool of await listPools(query, logTable)) {
    for await (const entry of readPoolLog(query, pool, 0)) yield { kind: "log", pool, entry };
  }
}

async function listPools(query: Query, { name }: { readonly name: string }): Promise<PoolId[]> {
  return (await query(`select distinct pool from ${name} order by pool`)).map(({ pool }) => pool as PoolId);
}

export async function restoreRows(database: Database, rows: AsyncIterable<ArchiveRow>): Promise<void> {
  await database.longTransaction(async (query) => {
    await query(`lock table ${STORE_TABLES.join(", ")} in exclusive mode`);
    for (const table of STORE_TABLES) {
      if ((await query(`select 1 from ${table} limit 1`)).length > 0) throw new Problem("store_not_empty");
    }
    const [leader] = await query("select 1 from lease where expires_at > clock_timestamp()");
    if (leader) throw new Problem("store_not_empty", "a relayer runs on this database");
    const deposits = new RowBuffer(query, depositTable);
    const withdrawals = new RowBuffer(query, withdrawalTable);
    const ledger = new RowBuffer(query, ledgerTable);
    const log = new RowBuffer(query, logTable);
    for await (const row of rows) {
      if (row.kind === "deposit") await deposits.add(row.deposit, row.pool);
      else if (row.kind === "withdrawal") await withdrawals.add(row.withdrawal, row.pool);
      else if (row.kind === "ledger") await ledger.add(row.entry);
      else if (row.kind === "log") await log.add(row.entry, row.pool);
      else if (row.kind === "job") await jobTable.insert(query, [toJobRow(row.job)]);
      else if (row.kind === "identity") await identityTable.insert(query, [row.identity]);
      else if (row.kind === "transfer") await transferTable.insert(query, [row.transfer]);
      else await cursorTable.insert(query, [row.cursor], row.pool);
    }
    for (const buffer of [ledger, deposits, withdrawals, log]) await buffer.flush();
    await query(LOG_EARLIER_PAYMENTS_SQL); // an export of an earlier release lacks them
    await query("analyze deposits, withdrawals"); // without statistics, page reads scan the whole table until autovacuum runs
  });
}

class RowBuffer<T extends object> {
  #pool: PoolId | undefined;
  #rows: T[] = [];

  constructor(private readonly query: Query, private readonly table: Table<T>) {}

  /** @param pool for types that do not contain theirs */
  async add(row: T, pool?: PoolId): Promise<void> {
    if (pool !== this.#pool) await this.flush();
    this.#pool = pool;
    if (this.#rows.push(row) === PAGE_SIZE) await this.flush();
  }

  async flush(): Promise<void> {
    await this.table.insert(this.query, this.#rows, this.#pool);
    this.#rows = [];
  }
}
