/** Moves a pool's cursor from the value that the caller has read. Throws `store_conflict` if it differs. */
import { type Cursor, cursorMovedProblem, type PoolId } from "../store.ts";
import type { Query } from "./database.ts";

export async function moveCursor(
  query: Query,
  pool: PoolId,
  from: Cursor | undefined,
  to: Cursor,
): Promise<void> {
  const moved = from === undefined
    ? await query(
      "insert into sync_cursor (pool, lt, hash) values ($1, $2, $3) on conflict do nothing returning 1",
      [pool, to.lt, to.hash],
    )
    : await query(
      "update sync_cursor set lt = $2, hash = $3 where pool = $1 and lt = $4 and hash = $5 returning 1",
      [pool, to.lt, to.hash, from.lt, from.hash],
    );
  if (moved.length === 0) throw cursorMovedProblem();
}

export async function rollBackCursor(
  query: Query,
  pool: PoolId,
  from: Cursor,
  to: Cursor | undefined,
): Promise<void> {
  const here = "where pool = $1 and lt = $2 and hash = $3 returning 1";
  const named = [pool, from.lt, from.hash];
  const rows = to === undefined
    ? await query(`delete from sync_cursor ${here}`, named)
    : await query(`update sync_cursor set lt = $4, hash = $5 ${here}`, [...named, to.lt, to.hash]);
  if (rows.length === 0) throw cursorMovedProblem();
}
