/** Takes rows back out of a database, in one transaction. */
import type { Cursor, PoolId, Withdrawal } from "../store.ts";
import { Problem } from "../../core/errors.ts";
import type { Query } from "./database.ts";
import { element, withdrawalOfRow } from "./rows.ts";

/** Rows of one statement. */
const PAGE = 5_000;

/** All payments of a pool, a page at a time by their key. */
export async function* paymentsOf(query: Query, pool: PoolId): AsyncIterable<Withdrawal> {
  for (let after = element(0n), first = true;;) {
    const rows = await query(
      `select * from withdrawals where pool = $1 and nullifier_hash ${first ? ">=" : ">"} $2
       order by nullifier_hash limit $3`,
      [pool, after, PAGE],
    );
    for (const row of rows) yield withdrawalOfRow(row);
    if (rows.length < PAGE) return;
    [after, first] = [element(withdrawalOfRow(rows[rows.length - 1]).nullifierHash), false];
  }
}

/** @throws {Problem} `store_conflict` when the stored cursor is not `from` */
export async function setCursorBack(
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
  if (rows.length === 0) {
    throw new Problem("store_conflict", "the cursor of this pool was moved by another writer");
  }
}

/** Removes deposits from leaf `leaves` on, and payments. */
export async function removeRows(
  query: Query,
  pool: PoolId,
  leaves: number,
  payments: readonly bigint[],
): Promise<void> {
  await query("delete from deposits where pool = $1 and leaf_index >= $2", [pool, leaves]);
  await query("delete from withdrawals where pool = $1 and nullifier_hash = any($2::bytea[])", [
    pool,
    payments.map(element),
  ]);
}
