/** The rows are authoritative; a missing page is built from them. */
import { FIELD_BYTES, writeFieldBytes } from "../../core/crypto/field.ts";
import type { Deposit, LeafRange, PoolId } from "../store.ts";
import { storeKeys } from "./codec.ts";
import { listValues, rowsFrom } from "./row_reads.ts";

/** 36 KiB of the 64 KiB that a value holds. */
export const PAGE_LEAVES = 1_024;
const TIMES_OFFSET_BYTES = PAGE_LEAVES * FIELD_BYTES; // commitments, then times of 4 big-endian bytes
const PAGE_BYTES = TIMES_OFFSET_BYTES + PAGE_LEAVES * 4;

const PAGE_READ_BATCH_SIZE = 16;

/** Yields pages where they exist, then rows. */
export async function* readLeaves(kv: Deno.Kv, pool: PoolId, leafIndex: number): AsyncIterable<LeafRange> {
  let next = leafIndex;
  const pages = rowsFrom(storeKeys.page, pool, Math.floor(leafIndex / PAGE_LEAVES));
  for await (const { key, value } of kv.list<Uint8Array>(pages, { batchSize: PAGE_READ_BATCH_SIZE })) {
    const first = key[2] as number * PAGE_LEAVES;
    if (first > next) break;
    yield decodeLeafPage(value, first, next);
    next = first + PAGE_LEAVES;
  }
  let run: Deposit[] = [];
  for await (const deposit of listValues<Deposit>(kv, rowsFrom(storeKeys.deposit, pool, next))) {
    const follows = run.length === 0 || deposit.leafIndex === run[0].leafIndex + run.length;
    if (!follows || isPageStart(deposit.leafIndex)) {
      if (run.length > 0) yield await toLeafRange(kv, pool, run);
      run = [];
    }
    run.push(deposit);
  }
  if (run.length > 0) yield await toLeafRange(kv, pool, run);
}

export async function writeFilledPages(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  pool: PoolId,
  deposits: readonly Deposit[],
): Promise<void> {
  for (const { leafIndex: last } of deposits) {
    if (!isPageStart(last + 1)) continue;
    const first = last + 1 - PAGE_LEAVES;
    const written = deposits.filter(({ leafIndex }) => leafIndex >= first && leafIndex <= last);
    const before = {
      start: storeKeys.deposit(pool, first),
      end: storeKeys.deposit(pool, written[0].leafIndex),
    };
    const rows = [...await Array.fromAsync(listValues<Deposit>(kv, before)), ...written];
    if (isFullPage(rows)) atomic.set(storeKeys.page(pool, first / PAGE_LEAVES), encodeLeafPage(rows));
  }
}

async function toLeafRange(kv: Deno.Kv, pool: PoolId, rows: readonly Deposit[]): Promise<LeafRange> {
  const first = rows[0].leafIndex;
  if (isFullPage(rows)) await kv.set(storeKeys.page(pool, first / PAGE_LEAVES), encodeLeafPage(rows));
  const commitments = new Uint8Array(rows.length * FIELD_BYTES);
  for (const [i, { commitment }] of rows.entries()) writeFieldBytes(commitment, commitments, i * FIELD_BYTES);
  return { firstIndex: first, commitments, times: Uint32Array.from(rows, ({ timestamp }) => timestamp) };
}

function isPageStart(leafIndex: number): boolean {
  return leafIndex % PAGE_LEAVES === 0;
}

function isFullPage(rows: readonly Deposit[]): boolean {
  const [{ leafIndex: first }] = rows;
  return rows.length === PAGE_LEAVES && isPageStart(first) &&
    rows.every(({ leafIndex }, i) => leafIndex === first + i);
}

function encodeLeafPage(rows: readonly Deposit[]): Uint8Array {
  const bytes = new Uint8Array(PAGE_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [i, { commitment, timestamp }] of rows.entries()) {
    writeFieldBytes(commitment, bytes, i * FIELD_BYTES);
    view.setUint32(TIMES_OFFSET_BYTES + i * 4, timestamp);
  }
  return bytes;
}

function decodeLeafPage(page: Uint8Array, first: number, from: number): LeafRange {
  const view = new DataView(page.buffer, page.byteOffset + TIMES_OFFSET_BYTES);
  const skipped = from - first;
  return {
    firstIndex: from,
    commitments: page.subarray(skipped * FIELD_BYTES, TIMES_OFFSET_BYTES),
    times: Uint32Array.from(
      { length: PAGE_LEAVES - skipped },
      (_, i) => view.getUint32((skipped + i) * 4),
    ),
  };
}
