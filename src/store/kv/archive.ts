/** Everything out of the embedded store and into an empty one. Nobody else writes meanwhile: the directory is locked. */
import { Problem } from "../../core/errors.ts";
import type { ArchiveRow } from "../archive.ts";
import type { StoreIdentity } from "../identity.ts";
import type { Cursor, Deposit, Job, PoolId, Transfer, Withdrawal } from "../store.ts";
import { decode, encode, keys, poolOfKey } from "./codec.ts";
import { packFilled } from "./leaf_pages.ts";
import { writeDeposit, writeJob, writeTransfer, writeWithdrawal } from "./writes.ts";

/** Rows in one commit, as many as events; what bounds them is the same. */
const PAGE = 90;
/** Values read at once. */
const READ = 500;
/** Keys that the store takes in one question. */
const AT_ONCE = 10;

/** All rows. */
export async function* archiveRows(kv: Deno.Kv): AsyncIterable<ArchiveRow> {
  const all = <T>(prefix: Deno.KvKey) => list<T>(kv, prefix);
  const { value: identity } = await kv.get<Uint8Array>(keys.identity);
  if (identity !== null) yield { kind: "identity", identity: decode<StoreIdentity>(identity) };
  for await (const [key, cursor] of all<Cursor>(keys.allCursors)) {
    yield { kind: "cursor", pool: poolOfKey(key), cursor };
  }
  for await (const [, job] of all<Job>(keys.allJobs)) yield { kind: "job", job };
  const [journal, boc] = await kv.getMany<[Uint8Array, Uint8Array]>([keys.transfer, keys.transferBoc]);
  if (journal.value !== null && boc.value !== null) {
    yield { kind: "transfer", transfer: { ...decode<Omit<Transfer, "boc">>(journal.value), boc: boc.value } };
  }
  for await (const [key, deposit] of all<Deposit>(keys.allDeposits)) {
    yield { kind: "deposit", pool: poolOfKey(key), deposit };
  }
  for await (const [key, withdrawal] of all<Withdrawal>(keys.allWithdrawals)) {
    yield { kind: "withdrawal", pool: poolOfKey(key), withdrawal };
  }
}

/** The leaves of commitments, by their index. */
export async function leavesOf(
  kv: Deno.Kv,
  pool: PoolId,
  commitments: readonly bigint[],
): Promise<(number | undefined)[]> {
  const wanted = commitments.map((commitment) => keys.leaf(pool, commitment));
  const parts = Array.from(
    { length: Math.ceil(wanted.length / AT_ONCE) },
    (_, i) => kv.getMany<Uint8Array[]>(wanted.slice(i * AT_ONCE, (i + 1) * AT_ONCE)),
  );
  return (await Promise.all(parts)).flat().map(({ value }) =>
    value === null ? undefined : decode<number>(value)
  );
}

/** Writes rows, behind a mark that keeps a relayer away until all of them are there. */
export async function restoreRows(kv: Deno.Kv, rows: AsyncIterable<ArchiveRow>): Promise<void> {
  for await (const { key } of kv.list({ prefix: [] }, { limit: 2 })) {
    if (key[0] !== keys.version[0]) throw new Problem("store_not_empty");
  }
  await kv.set(keys.restoring, encode(true));
  let page: ArchiveRow[] = [];
  for await (const row of rows) {
    if (page.push(row) < PAGE) continue;
    await write(kv, page);
    page = [];
  }
  await write(kv, page);
  await kv.delete(keys.restoring);
}

async function write(kv: Deno.Kv, page: readonly ArchiveRow[]): Promise<void> {
  const atomic = kv.atomic();
  const deposits = new Map<PoolId, Deposit[]>();
  for (const row of page) {
    if (row.kind === "identity") atomic.set(keys.identity, encode(row.identity));
    else if (row.kind === "cursor") atomic.set(keys.cursor(row.pool), encode(row.cursor));
    else if (row.kind === "deposit") {
      writeDeposit(atomic, row.pool, row.deposit);
      deposits.set(row.pool, [...deposits.get(row.pool) ?? [], row.deposit]);
    } else if (row.kind === "withdrawal") writeWithdrawal(atomic, row.pool, row.withdrawal);
    else if (row.kind === "job") writeJob(atomic, row.job);
    else writeTransfer(atomic, row.transfer);
  }
  for (const [pool, rows] of deposits) await packFilled(kv, atomic, pool, rows);
  await atomic.commit();
}

async function* list<T>(kv: Deno.Kv, prefix: Deno.KvKey): AsyncIterable<[Deno.KvKey, T]> {
  for await (const { key, value } of kv.list<Uint8Array>({ prefix }, { batchSize: READ })) {
    yield [key, decode<T>(value)];
  }
}
