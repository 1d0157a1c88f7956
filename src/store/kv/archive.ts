/** Exports and imports the rows of a KV store. */
import { Problem } from "../../core/errors/problem.ts";
import type { ArchiveRow } from "../archive.ts";
import type { StoreIdentity } from "../identity.ts";
import type { Cursor, Deposit, Job, LedgerEntry, LogEntry, PoolId, Transfer, Withdrawal } from "../store.ts";
import { decodeValue, encodeValue, parsePoolKey, storeKeys } from "./codec.ts";
import { writeFilledPages } from "./leaf_pages.ts";
import { logEarlierPayments } from "./payment_logs.ts";
import { getVersioned, listRows, listValues } from "./row_reads.ts";
import {
  writeDeposit,
  writeJob,
  writeLedger,
  writeLogEntry,
  writeTransfer,
  writeWithdrawal,
} from "./row_writes.ts";

const ROWS_PER_COMMIT = 90; // KV allows 100 checks per commit

export async function* archiveRows(kv: Deno.Kv): AsyncIterable<ArchiveRow> {
  const all = <T>(prefix: Deno.KvKey) => listRows<T>(kv, { prefix });
  const { value: identity } = await getVersioned<StoreIdentity>(kv, storeKeys.identity);
  if (identity !== undefined) yield { kind: "identity", identity };
  for await (const [key, cursor] of all<Cursor>(storeKeys.allCursors)) {
    yield { kind: "cursor", pool: parsePoolKey(key), cursor };
  }
  for await (const [, job] of all<Job>(storeKeys.allJobs)) yield { kind: "job", job };
  const transfer = await readTransfer(kv);
  if (transfer !== undefined) yield { kind: "transfer", transfer };
  for await (const [, entry] of all<LedgerEntry>(storeKeys.allLedger)) yield { kind: "ledger", entry };
  for await (const [key, deposit] of all<Deposit>(storeKeys.allDeposits)) {
    yield { kind: "deposit", pool: parsePoolKey(key), deposit };
  }
  for await (const [key, withdrawal] of all<Withdrawal>(storeKeys.allWithdrawals)) {
    yield { kind: "withdrawal", pool: parsePoolKey(key), withdrawal };
  }
  for await (const [key, entry] of all<LogEntry>(storeKeys.allLogs)) {
    yield { kind: "log", pool: parsePoolKey(key), entry };
  }
}

export async function readTransfer(kv: Deno.Kv): Promise<Transfer | undefined> {
  const keys = [storeKeys.transfer, storeKeys.transferBoc] as const;
  const [journal, boc] = await kv.getMany<[Uint8Array, Uint8Array]>(keys);
  if (journal.value === null || boc.value === null) return undefined;
  return { ...decodeValue<Omit<Transfer, "boc">>(journal.value), boc: boc.value };
}

export async function* readLedger(
  kv: Deno.Kv,
  since: number,
  until: number,
): AsyncIterable<LedgerEntry> {
  for await (const entry of listValues<LedgerEntry>(kv, { prefix: storeKeys.allLedger })) {
    if (entry.timestamp >= since && entry.timestamp < until) yield entry;
  }
}

/** A marker keeps relayers from starting until the import is complete. */
export async function restoreRows(kv: Deno.Kv, rows: AsyncIterable<ArchiveRow>): Promise<void> {
  for await (const { key } of kv.list({ prefix: [] }, { limit: 2 })) {
    if (key[0] !== storeKeys.version[0]) throw new Problem("store_not_empty");
  }
  await kv.set(storeKeys.restoring, encodeValue(true));
  let page: ArchiveRow[] = [];
  const logged = new Set<PoolId>();
  for await (const row of rows) {
    if (row.kind === "log") logged.add(row.pool);
    if (page.push(row) < ROWS_PER_COMMIT) continue;
    await writeRows(kv, page);
    page = [];
  }
  await writeRows(kv, page);
  await logEarlierPayments(kv, logged); // an export of an earlier release lacks them
  await kv.delete(storeKeys.restoring);
}

async function writeRows(kv: Deno.Kv, page: readonly ArchiveRow[]): Promise<void> {
  const atomic = kv.atomic();
  const deposits = new Map<PoolId, Deposit[]>();
  for (const row of page) {
    if (row.kind === "identity") atomic.set(storeKeys.identity, encodeValue(row.identity));
    else if (row.kind === "cursor") atomic.set(storeKeys.cursor(row.pool), encodeValue(row.cursor));
    else if (row.kind === "deposit") {
      writeDeposit(atomic, row.pool, row.deposit);
      deposits.set(row.pool, [...deposits.get(row.pool) ?? [], row.deposit]);
    } else if (row.kind === "withdrawal") writeWithdrawal(atomic, row.pool, row.withdrawal);
    else if (row.kind === "job") writeJob(atomic, row.job);
    else if (row.kind === "ledger") writeLedger(atomic, row.entry);
    else if (row.kind === "log") writeLogEntry(atomic, row.pool, row.entry);
    else writeTransfer(atomic, row.transfer);
  }
  for (const [pool, rows] of deposits) await writeFilledPages(kv, atomic, pool, rows);
  await atomic.commit();
}
