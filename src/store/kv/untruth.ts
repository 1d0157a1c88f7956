/**
 * Takes rows back out of the embedded store. One commit holds what a lie of some seconds leaves behind; of more, the
 * newest leaves go first and the cursor with the last commit, so that what a crash leaves is taken back by the next call.
 */
import { Problem } from "../../core/errors.ts";
import type { Cursor, Deposit, Job, JobChange, PoolId, Untruth, Withdrawal } from "../store.ts";
import { decode, encode, keys } from "./codec.ts";
import { PAGE_LEAVES } from "./leaf_pages.ts";
import { writeJob } from "./writes.ts";

/** Rows of one commit: KV takes 100 checks, of which a row needs one at most. */
const PAGE = 90;

/** What goes: a leaf, or a payment. */
type Gone = { readonly deposit: Deposit } | { readonly payment: bigint };

/** See {@linkcode Store.takeBack}. */
export async function takeBack(kv: Deno.Kv, untruth: Untruth, reopen: JobChange): Promise<void> {
  const { pool, leaves, payments } = untruth;
  const deposits: Gone[] = [];
  const rows = { start: keys.deposit(pool, leaves), end: keys.deposit(pool, Number.MAX_SAFE_INTEGER) };
  for await (const { value } of kv.list<Uint8Array>(rows)) deposits.push({ deposit: decode<Deposit>(value) });
  const gone = [...deposits.reverse(), ...payments.map((payment) => ({ payment }))];
  for (let i = 0; i < gone.length || i === 0; i += PAGE) {
    const last = i + PAGE >= gone.length;
    while (!await commit(kv, untruth, gone.slice(i, i + PAGE), last, reopen));
  }
}

/** All payments of a pool. */
export async function* paymentsOf(kv: Deno.Kv, pool: PoolId): AsyncIterable<Withdrawal> {
  const rows = kv.list<Uint8Array>({ prefix: keys.withdrawalsOf(pool) }, { batchSize: 500 });
  for await (const { value } of rows) yield decode<Withdrawal>(value);
}

/** False when another writer came between. */
async function commit(
  kv: Deno.Kv,
  { pool, from, to }: Untruth,
  gone: readonly Gone[],
  last: boolean,
  reopen: JobChange,
): Promise<boolean> {
  const cursor = await kv.get<Uint8Array>(keys.cursor(pool));
  const at = cursor.value === null ? undefined : decode<Cursor>(cursor.value);
  if (at?.hash !== from.hash || at.lt !== from.lt) {
    throw new Problem("store_conflict", "the cursor of this pool was moved by another writer");
  }
  const atomic = kv.atomic().check(cursor);
  for (const row of gone) {
    if ("deposit" in row) {
      const { leafIndex, commitment } = row.deposit;
      atomic.delete(keys.deposit(pool, leafIndex)).delete(
        keys.page(pool, Math.floor(leafIndex / PAGE_LEAVES)),
      );
      const leaf = await kv.get<Uint8Array>(keys.leaf(pool, commitment));
      if (leaf.value !== null && decode<number>(leaf.value) === leafIndex) atomic.delete(leaf.key);
      continue;
    }
    atomic.delete(keys.withdrawal(pool, row.payment));
    const job = await kv.get<Uint8Array>(keys.job(pool, row.payment));
    const reopened = job.value === null ? undefined : reopen(decode<Job>(job.value));
    if (reopened !== undefined) writeJob(atomic.check(job), reopened);
  }
  if (last && to !== undefined) atomic.set(cursor.key, encode(to));
  if (last && to === undefined) atomic.delete(cursor.key);
  return (await atomic.commit()).ok;
}
