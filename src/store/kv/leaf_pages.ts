/**
 * Leaves packed for a start, which reads all of them: a row takes as long to read as a page. A page is written with the
 * deposit that fills it. The rows are what counts: a page that is missing, as in a store of an earlier release, is made
 * of them when it is first asked for.
 */
import { FIELD_BYTES, writeBytes } from "../../core/field.ts";
import type { Deposit, Leaves, PoolId } from "../store.ts";
import { decode, keys } from "./codec.ts";

/** Leaves of a page: 36 KiB, and a value may have 64. */
export const PAGE_LEAVES = 1_024;
/** Their commitments, then their times, 4 big-endian bytes each. */
const TIMES_AT = PAGE_LEAVES * FIELD_BYTES;
const PAGE_BYTES = TIMES_AT + PAGE_LEAVES * 4;

/** Pages and rows that one question brings. */
const PAGES_AT_ONCE = 16;
const ROWS_AT_ONCE = 500;

/** Leaves of a pool from one on: pages as far as they go, then rows. */
export async function* leavesFrom(kv: Deno.Kv, pool: PoolId, leafIndex: number): AsyncIterable<Leaves> {
  let next = leafIndex;
  const pages = {
    start: keys.page(pool, Math.floor(leafIndex / PAGE_LEAVES)),
    end: keys.page(pool, Number.MAX_SAFE_INTEGER),
  };
  for await (const { key, value } of kv.list<Uint8Array>(pages, { batchSize: PAGES_AT_ONCE })) {
    const first = key[2] as number * PAGE_LEAVES;
    if (first > next) break;
    yield unpacked(value, first, next);
    next = first + PAGE_LEAVES;
  }
  let run: Deposit[] = [];
  for await (const deposit of rowsFrom(kv, pool, next)) {
    const follows = run.length === 0 || deposit.leafIndex === run[0].leafIndex + run.length;
    if (!follows || isPageStart(deposit.leafIndex)) {
      if (run.length > 0) yield await kept(kv, pool, run);
      run = [];
    }
    run.push(deposit);
  }
  if (run.length > 0) yield await kept(kv, pool, run);
}

/** Adds to a commit that writes `deposits` the pages that they fill. */
export async function packFilled(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  pool: PoolId,
  deposits: readonly Deposit[],
): Promise<void> {
  for (const { leafIndex: last } of deposits) {
    if (!isPageStart(last + 1)) continue;
    const first = last + 1 - PAGE_LEAVES;
    const written = deposits.filter(({ leafIndex }) => leafIndex >= first && leafIndex <= last);
    const before = keys.deposit(pool, written[0].leafIndex);
    const rows = [...await Array.fromAsync(rowsFrom(kv, pool, first, before)), ...written];
    if (isPage(rows)) atomic.set(keys.page(pool, first / PAGE_LEAVES), packed(rows));
  }
}

/** Rows as leaves; a whole page of them is kept. */
async function kept(kv: Deno.Kv, pool: PoolId, rows: readonly Deposit[]): Promise<Leaves> {
  const first = rows[0].leafIndex;
  if (isPage(rows)) await kv.set(keys.page(pool, first / PAGE_LEAVES), packed(rows));
  const commitments = new Uint8Array(rows.length * FIELD_BYTES);
  for (const [i, { commitment }] of rows.entries()) writeBytes(commitment, commitments, i * FIELD_BYTES);
  return { first, commitments, times: Uint32Array.from(rows, ({ timestamp }) => timestamp) };
}

async function* rowsFrom(
  kv: Deno.Kv,
  pool: PoolId,
  leafIndex: number,
  end: Deno.KvKey = keys.deposit(pool, Number.MAX_SAFE_INTEGER),
): AsyncIterable<Deposit> {
  const rows = { start: keys.deposit(pool, leafIndex), end };
  for await (const { value } of kv.list<Uint8Array>(rows, { batchSize: ROWS_AT_ONCE })) {
    yield decode<Deposit>(value);
  }
}

function isPageStart(leafIndex: number): boolean {
  return leafIndex % PAGE_LEAVES === 0;
}

/** Whether rows are all of a page's, in order. */
function isPage(rows: readonly Deposit[]): boolean {
  const [{ leafIndex: first }] = rows;
  return rows.length === PAGE_LEAVES && isPageStart(first) &&
    rows.every(({ leafIndex }, i) => leafIndex === first + i);
}

function packed(rows: readonly Deposit[]): Uint8Array {
  const bytes = new Uint8Array(PAGE_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [i, { commitment, timestamp }] of rows.entries()) {
    writeBytes(commitment, bytes, i * FIELD_BYTES);
    view.setUint32(TIMES_AT + i * 4, timestamp);
  }
  return bytes;
}

/** Leaves of a page from `from` on; `first` is its first. */
function unpacked(page: Uint8Array, first: number, from: number): Leaves {
  const view = new DataView(page.buffer, page.byteOffset + TIMES_AT);
  const skipped = from - first;
  return {
    first: from,
    commitments: page.subarray(skipped * FIELD_BYTES, TIMES_AT),
    times: Uint32Array.from(
      { length: PAGE_LEAVES - skipped },
      (_, i) => view.getUint32((skipped + i) * 4),
    ),
  };
}
