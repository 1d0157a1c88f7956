import type { JobId, PoolId, Withdrawal } from "../store.ts";
import type { Query } from "./database.ts";
import { fieldToBytea, rowToWithdrawal } from "./rows.ts";
import { readPages, toRowKey } from "./statements.ts";

export async function* listWithdrawals(query: Query, pool: PoolId): AsyncIterable<Withdrawal> {
  const rows = readPages(
    query,
    "select * from withdrawals where nullifier_hash > $1::bytea and pool = $2 order by nullifier_hash",
    { start: [""], after: (last) => [last.nullifier_hash], fixed: [pool] },
  );
  for await (const row of rows) yield rowToWithdrawal(row);
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
