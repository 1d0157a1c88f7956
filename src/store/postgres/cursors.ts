/** The cursors of the pools in PostgreSQL. */
import { type Cursor, cursorMovedProblem, type PoolId } from "../store.ts";
import type { Query } from "./database.ts";

/**
 * Moves a pool's cursor from the value that the caller has read. Throws `store_conflict` if it differs.
 * @param to undefined removes the cursor, which `from` then names
 */
export async function moveCursor(
  query: Query,
  pool: PoolId,
  from: Cursor | undefined,
  to: Cursor | undefined,
): Promise<void> {
  const here = "where pool = $1 and lt = $2 and hash = $3";
  const change = from === undefined
    ? "insert into sync_cursor (pool, lt, hash) values ($1, $2, $3) on conflict do nothing"
    : to === undefined
    ? `delete from sync_cursor ${here}`
    : `update sync_cursor set lt = $4, hash = $5 ${here}`;
  const values = [from, to].flatMap((cursor) => cursor ? [cursor.lt, cursor.hash] : []);
  const moved = await query(`${change} returning 1`, [pool, ...values]);
  if (moved.length === 0) throw cursorMovedProblem();
}
