import type { LedgerEntry, PoolId } from "../store.ts";
import type { Query, Row } from "./database.ts";
import { readPages } from "./statements.ts";

/** Entries that exist are kept: returned coins are booked again after a restart. */
export async function insertLedger(query: Query, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const column = (member: keyof LedgerEntry) => entries.map((entry) => String(entry[member]));
  await query(
    `insert into ledger (pool, lt, tx_hash, kind, "timestamp", fee, gas, refund)
     select * from unnest($1::text[], $2::numeric[], $3::text[], $4::text[], $5::bigint[], $6::numeric[],
       $7::numeric[], $8::numeric[])
     on conflict do nothing`,
    (["pool", "lt", "txHash", "kind", "timestamp", "fee", "gas", "refund"] as const).map(column),
  );
}

export async function removeLedgerAfter(query: Query, pool: PoolId, lt: bigint): Promise<void> {
  await query("delete from ledger where pool = $1 and lt > $2", [pool, lt]);
}

export async function* readLedger(
  query: Query,
  since: number,
  until: number,
): AsyncIterable<LedgerEntry> {
  const rows = readPages(
    query,
    `select * from ledger where (pool, lt, tx_hash) > ($1, $2::numeric, $3) and "timestamp" >= $4 and
       "timestamp" < $5 order by pool, lt, tx_hash`,
    { start: ["", 0, ""], after: (last) => [last.pool, last.lt, last.tx_hash], fixed: [since, until] },
  );
  for await (const row of rows) yield rowToEntry(row);
}

function rowToEntry(row: Row): LedgerEntry {
  return {
    pool: row.pool as string,
    kind: row.kind as LedgerEntry["kind"],
    txHash: row.tx_hash as string,
    lt: BigInt(row.lt as string),
    timestamp: Number(row.timestamp),
    fee: BigInt(row.fee as string),
    gas: BigInt(row.gas as string),
    refund: BigInt(row.refund as string),
  };
}
