/** Leaves for a start, which reads all of them: packed by the server, so that no row is parsed here. */
import type { Leaves, PoolId } from "../store.ts";
import type { Query } from "./database.ts";

/** Leaves of one statement: a quarter of a megabyte on its way, which is parsed in a few milliseconds. */
const PAGE = 4_096;
/** Bytes of a bigint as the server packs it. */
const TIME_BYTES = 8;

const PAGE_ROWS = `
select leaf_index, commitment, "timestamp"
from deposits where pool = $1 and leaf_index >= $2 order by leaf_index limit $3`;

/** What a run of leaves is packed into, in their order. */
const PACKED = `
select min(leaf_index) as first, max(leaf_index) as last, count(*)::integer as count,
  string_agg(commitment, ''::bytea order by leaf_index) as commitments,
  string_agg(int8send("timestamp"), ''::bytea order by leaf_index) as times`;

/** Packs a page of rows, as if no row were missing. */
const WHOLE = `${PACKED} from (${PAGE_ROWS}) as page`;

/** Packs a page of rows, each run without a gap by itself: several times as dear. */
const RUNS = `${PACKED}
from (select *, leaf_index - row_number() over (order by leaf_index) as run from (${PAGE_ROWS}) as page) as page
group by run order by first`;

/** What the server packed. */
interface Packed {
  readonly first: number;
  readonly last: number;
  readonly count: number;
  readonly commitments: Uint8Array;
  readonly times: Uint8Array;
}

/** Leaves of a pool from one on, a page at a time by their key. */
export async function* leavesFrom(query: Query, pool: PoolId, leafIndex: number): AsyncIterable<Leaves> {
  for (let next = leafIndex;;) {
    let read = 0;
    for (const { first, count, commitments, times } of await packedPage(query, [pool, next, PAGE])) {
      yield { first, commitments, times: timesOf(times) };
      read += count;
      next = first + count;
    }
    if (read < PAGE) return;
  }
}

async function packedPage(query: Query, page: [PoolId, number, number]): Promise<Packed[]> {
  const [whole] = await query(WHOLE, page) as unknown as Packed[];
  if (whole.count === 0) return [];
  const isRun = whole.last - whole.first + 1 === whole.count;
  return isRun ? [whole] : await query(RUNS, page) as unknown as Packed[];
}

function timesOf(packed: Uint8Array): Uint32Array {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  return Uint32Array.from(
    { length: packed.length / TIME_BYTES },
    (_, i) => Number(view.getBigUint64(i * TIME_BYTES)),
  );
}
