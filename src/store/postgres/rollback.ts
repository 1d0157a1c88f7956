import type { JobId, PoolId, Withdrawal } from "../store.ts";
import type { Query } from "./database.ts";
import { fieldToBytea, rowToWithdrawal } from "./rows.ts";
import { toRowKey } from "./statements.ts";

const PAGE_SIZE = 5_000;

export async function* listWithdrawals(query: Query, pool: PoolId): AsyncIterable<Withdrawal> {
  for (let after = fieldToBytea(0n), first = true;;) {
    const rows = await query(
      `select * from withdrawals where pool = $1 and nullifier_hash ${first ? ">=" : ">"} $2
       order by nullifier_hash limit $3`,
      [pool, after, PAGE_SIZE],
    );
    for (const row of rows) yield rowToWithdrawal(row);
    if (rows.length < PAGE_SIZE) return;
    [after, first] = [fieldToBytea(rowToWithdrawal(rows[rows.length - 1]).nullifierHash), false];
  }
}

/** Removes payments, and deposits from leaf `leaves` on. */
export async function removeRows(
  query: Query,
  pool: PoolId,
  leaves: number,
  payments: readonly bigint[],
): Promise<void> {
  await query("delete from deposits where pool = $1 and leaf_index >= $2", [pool, leaves]);
  await query("delete from withdrawals where pool = $1 and nullifier_hash = any($2::bytea[])", [
    pool,
    payments.map(fieldToBytea),
  ]);
}

export async function selectWithdrawal(
  query: Query,
  { pool, nullifierHash }: JobId,
): Promise<Withdrawal | undefined> {
  const [row] = await query(
    "select * from withdrawals where pool = $1 and nullifier_hash = $2",
    toRowKey(pool, nullifierHash),
  );
  return row && rowToWithdrawal(row);
}
