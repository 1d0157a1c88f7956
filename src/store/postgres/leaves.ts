/** Leaves for a start, which reads all of them: packed by the server, so that no row is parsed here. */
import type { Leaves, PoolId } from "../store.ts";
import type { Query } from "./database.ts";

/** Leaves of one statement: a quarter of a megabyte on its way, which is parsed in a few milliseconds. */
const PAGE = 4_096;
/** Bytes of a bigint as the server packs it. */
const TIME_BYTES = 8;

/** Packs a page of rows: one result for each run of leaves without a gap, which is one where no row is missing. */
const PACKED = `
select min(leaf_index) as first, count(*)::integer as count,
  string_agg(commitment, ''::bytea order by leaf_index) as commitments,
  string_agg(int8send("timestamp"), ''::bytea order by leaf_index) as times
from (
  select leaf_index, commitment, "timestamp", leaf_index - row_number() over (order by leaf_index) as run
  from deposits where pool = $1 and leaf_index >= $2 order by leaf_index limit $3
) as page
group by run order by first`;

/** Leaves of a pool from one on, a page at a time by their key. */
export async function* leavesFrom(query: Query, pool: PoolId, leafIndex: number): AsyncIterable<Leaves> {
  for (let next = leafIndex;;) {
    let read = 0;
    for (const row of await query(PACKED, [pool, next, PAGE])) {
      const { first, count } = row as { first: number; count: number };
      yield { first, commitments: row.commitments as Uint8Array, times: timesOf(row.times as Uint8Array) };
      read += count;
      next = first + count;
    }
    if (read < PAGE) return;
  }
}

function timesOf(packed: Uint8Array): Uint32Array {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  return Uint32Array.from(
    { length: packed.length / TIME_BYTES },
    (_, i) => Number(view.getBigUint64(i * TIME_BYTES)),
  );
}
