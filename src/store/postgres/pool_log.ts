import type { LogEntry, PoolId } from "../store.ts";
import type { Query, Row } from "./database.ts";
import { byteaToBigint, fieldToBytea } from "./rows.ts";
import { readPages } from "./statements.ts";

export async function insertPoolLog(query: Query, pool: PoolId, entries: readonly LogEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await query(
    `insert into pool_log (pool, position, kind, value, settled, tx_hash)
     select $1, * from unnest($2::int[], $3::text[], $4::bytea[], $5::int[], $6::text[])`,
    [
      pool,
      entries.map(({ position }) => position),
      entries.map(({ kind }) => kind),
      entries.map(({ value }) => fieldToBytea(value)),
      entries.map(({ settled }) => settled),
      entries.map(({ txHash }) => txHash),
    ],
  );
}

export async function removePoolLogFrom(query: Query, pool: PoolId, position: number): Promise<void> {
  await query("delete from pool_log where pool = $1 and position >= $2", [pool, position]);
}

export async function* readPoolLog(query: Query, pool: PoolId, position: number): AsyncIterable<LogEntry> {
  const rows = readPages(
    query,
    "select * from pool_log where position >= $1 and pool = $2 order by position",
    { start: [position], after: (last) => [last.position as number + 1], fixed: [pool] },
  );
  for await (const row of rows) yield rowToLogEntry(row);
}

function rowToLogEntry(row: Row): LogEntry {
  return {
    position: row.position as number,
    kind: row.kind as LogEntry["kind"],
    value: byteaToBigint(row.value),
    settled: row.settled as number,
    txHash: row.tx_hash as string,
  };
}
