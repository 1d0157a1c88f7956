/** Rolls back in several commits. The last one moves the cursor, so a call after a crash completes it. */
import { assertCursorIs, type Cursor, type Job, type JobChange, type Rollback } from "../store.ts";
import { encodeValue, storeKeys } from "./codec.ts";
import { PAGE_LEAVES } from "./leaf_pages.ts";
import { getVersioned, rowsFrom } from "./row_reads.ts";
import { writeJob } from "./row_writes.ts";

/** KV allows 100 checks per commit, at most one per row. */
const ROWS_PER_COMMIT = 90;
const MAX_LT = 2n ** 64n;

interface RemovedRow {
  readonly keys: readonly Deno.KvKey[];
  readonly payment?: bigint; // its job is reopened
}

export async function rollBackRows(kv: Deno.Kv, rollback: Rollback, reopen: JobChange): Promise<void> {
  const { pool, keptLeafCount, keptLogLength = 0 } = rollback;
  const list = (selector: Deno.KvListSelector) => Array.fromAsync(kv.list(selector), ({ key }) => key);
  const deposits = await list(rowsFrom(storeKeys.deposit, pool, keptLeafCount));
  const laterEntries = {
    start: storeKeys.ledgerFrom(pool, (rollback.to?.lt ?? 0n) + 1n),
    end: storeKeys.ledgerFrom(pool, MAX_LT),
  };
  const entries = [
    ...await list(laterEntries),
    ...await list(rowsFrom(storeKeys.log, pool, keptLogLength)),
  ];
  const removedRows: RemovedRow[] = [
    ...deposits.reverse().map((key) => ({
      keys: [key, storeKeys.page(pool, Math.floor(key[2] as number / PAGE_LEAVES))],
    })),
    ...rollback.nullifierHashes.map((payment) => ({ keys: [storeKeys.withdrawal(pool, payment)], payment })),
    ...entries.map((key) => ({ keys: [key] })),
  ];
  for (let i = 0; i < removedRows.length || i === 0; i += ROWS_PER_COMMIT) {
    const isLast = i + ROWS_PER_COMMIT >= removedRows.length;
    while (!await commitRemoval(kv, rollback, removedRows.slice(i, i + ROWS_PER_COMMIT), isLast, reopen));
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
  const cursor = await getVersioned<Cursor>(kv, storeKeys.cursor(pool));
  assertCursorIs(from, cursor.value);
  const atomic = kv.atomic().check(cursor.entry);
  for (const { keys, payment } of removedRows) {
    for (const key of keys) atomic.delete(key);
    if (payment === undefined) continue;
    const job = await getVersioned<Job>(kv, storeKeys.job(pool, payment));
    const reopened = job.value && reopen(job.value);
    if (reopened !== undefined) writeJob(atomic.check(job.entry), reopened);
  }
  if (isLast && to !== undefined) atomic.set(cursor.entry.key, encodeValue(to));
  if (isLast && to === undefined) atomic.delete(cursor.entry.key);
  return (await atomic.commit()).ok;
}
