/** A large rollback needs several commits. The cursor is written last, so a call after a crash finishes it. */
import {
  assertCursorIs,
  type Cursor,
  type Deposit,
  type Job,
  type JobChange,
  type LogEntry,
  type PoolId,
  type Rollback,
  type Withdrawal,
} from "../store.ts";
import { decodeValue, encodeValue, storeKeys } from "./codec.ts";
import { PAGE_LEAVES } from "./leaf_pages.ts";
import { writeJob } from "./row_writes.ts";

/** KV allows 100 checks per commit, at most one per row. */
const ROWS_PER_COMMIT = 90;
const MAX_LT = 2n ** 64n;

type RemovedRow =
  | { readonly deposit: Deposit }
  | { readonly payment: bigint }
  | { readonly entry: Deno.KvKey };

export async function rollBackRows(kv: Deno.Kv, rollback: Rollback, reopen: JobChange): Promise<void> {
  const { pool, keptLeafCount: leaves, nullifierHashes: payments } = rollback;
  const deposits: RemovedRow[] = [];
  const rows = {
    start: storeKeys.deposit(pool, leaves),
    end: storeKeys.deposit(pool, Number.MAX_SAFE_INTEGER),
  };
  for await (const { value } of kv.list<Uint8Array>(rows)) {
    deposits.push({ deposit: decodeValue<Deposit>(value) });
  }
  const later = {
    start: storeKeys.ledgerFrom(pool, (rollback.to?.lt ?? 0n) + 1n),
    end: storeKeys.ledgerFrom(pool, MAX_LT),
  };
  const entries = await Array.fromAsync(kv.list(later), ({ key }) => ({ entry: key }));
  const log = {
    start: storeKeys.log(pool, rollback.keptLogLength ?? 0),
    end: storeKeys.log(pool, Number.MAX_SAFE_INTEGER),
  };
  entries.push(...await Array.fromAsync(kv.list(log), ({ key }) => ({ entry: key })));
  const removedRows = [...deposits.reverse(), ...payments.map((payment) => ({ payment })), ...entries];
  for (let i = 0; i < removedRows.length || i === 0; i += ROWS_PER_COMMIT) {
    const isLast = i + ROWS_PER_COMMIT >= removedRows.length;
    while (!await commitRemoval(kv, rollback, removedRows.slice(i, i + ROWS_PER_COMMIT), isLast, reopen));
  }
}

export async function* listWithdrawals(kv: Deno.Kv, pool: PoolId): AsyncIterable<Withdrawal> {
  const rows = kv.list<Uint8Array>({ prefix: storeKeys.withdrawalsOf(pool) }, { batchSize: 500 });
  for await (const { value } of rows) yield decodeValue<Withdrawal>(value);
}

export async function* readPoolLog(kv: Deno.Kv, pool: PoolId, position: number): AsyncIterable<LogEntry> {
  const range = { start: storeKeys.log(pool, position), end: storeKeys.log(pool, Number.MAX_SAFE_INTEGER) };
  for await (const { value } of kv.list<Uint8Array>(range, { batchSize: 500 })) {
    yield decodeValue<LogEntry>(value);
  }
}

/** Returns false after a conflict with another writer. */
async function commitRemoval(
  kv: Deno.Kv,
  { pool, from, to }: Rollback,
  removedRows: readonly RemovedRow[],
  isLast: boolean,
  reopen: JobChange,
): Promise<boolean> {
  const cursor = await kv.get<Uint8Array>(storeKeys.cursor(pool));
  assertCursorIs(from, cursor.value === null ? undefined : decodeValue<Cursor>(cursor.value));
  const atomic = kv.atomic().check(cursor);
  for (const row of removedRows) {
    if ("deposit" in row) {
      const { leafIndex } = row.deposit;
      atomic.delete(storeKeys.deposit(pool, leafIndex)).delete(
        storeKeys.page(pool, Math.floor(leafIndex / PAGE_LEAVES)),
      );
      continue;
    }
    if ("entry" in row) {
      atomic.delete(row.entry);
      continue;
    }
    atomic.delete(storeKeys.withdrawal(pool, row.payment));
    const job = await kv.get<Uint8Array>(storeKeys.job(pool, row.payment));
    const reopened = job.value === null ? undefined : reopen(decodeValue<Job>(job.value));
    if (reopened !== undefined) writeJob(atomic.check(job), reopened);
  }
  if (isLast && to !== undefined) atomic.set(cursor.key, encodeValue(to));
  if (isLast && to === undefined) atomic.delete(cursor.key);
  return (await atomic.commit()).ok;
}
