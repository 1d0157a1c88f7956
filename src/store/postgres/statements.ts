/** Shared statements. Table names are unqualified, so the connection's search path applies. */
import { Buffer } from "node:buffer";
import type { Deposit, PoolId, Withdrawal } from "../store.ts";
import type { Query, Row } from "./database.ts";
import { fieldToBytea } from "./rows.ts";

export const INSERT_TRANSFER_SQL =
  "insert into transfers (hash, seqno, valid_until, boc, jobs, signed_at) values ($1, $2, $3, $4, $5, $6)";

/** Of concurrent inserts exactly one succeeds. */
export const INSERT_IDENTITY_SQL =
  "insert into identity (network, wallet) values ($1, $2) on conflict do nothing";

export async function insertDeposits(query: Query, pool: PoolId, rows: readonly Deposit[]): Promise<void> {
  if (rows.length === 0) return;
  await query(
    `insert into deposits (pool, leaf_index, commitment, "timestamp", tx_hash)
     select $1, * from unnest($2::int[], $3::bytea[], $4::bigint[], $5::text[])`,
    [
      pool,
      rows.map(({ leafIndex }) => leafIndex),
      rows.map(({ commitment }) => fieldToBytea(commitment)),
      rows.map(({ timestamp }) => timestamp),
      rows.map(({ txHash }) => txHash),
    ],
  );
}

export async function insertWithdrawals(
  query: Query,
  pool: PoolId,
  rows: readonly Withdrawal[],
): Promise<void> {
  if (rows.length === 0) return;
  await query(
    `insert into withdrawals (pool, nullifier_hash, fee, refund, "timestamp", tx_hash)
     select $1, * from unnest($2::bytea[], $3::numeric[], $4::numeric[], $5::bigint[], $6::text[])`,
    [
      pool,
      rows.map(({ nullifierHash }) => fieldToBytea(nullifierHash)),
      rows.map(({ fee }) => String(fee)),
      rows.map(({ refund }) => String(refund)),
      rows.map(({ timestamp }) => timestamp),
      rows.map(({ txHash }) => txHash),
    ],
  );
}

/** Row locks do not suffice: decisions depend on the absence of a row. Ascending order prevents deadlocks. */
export async function lockNullifierHashes(query: Query, hashes: Iterable<bigint>): Promise<void> {
  const numbers = [...new Set(hashes)].map((hash) => BigInt.asIntN(64, hash)).sort((a, b) =>
    Number(a > b) - Number(a < b)
  );
  if (numbers.length === 0) return;
  await query(
    "select pg_advisory_xact_lock(number) from (select unnest($1::bigint[]) as number) as numbers",
    [numbers.map(String)],
  );
}

export function toRowKey(pool: PoolId, nullifierHash: bigint): [PoolId, Buffer] {
  return [pool, fieldToBytea(nullifierHash)];
}

const PAGE_SIZE = 5_000;

/** Yields an ordered query's rows by page. The parameters are `start` or the last key, then `fixed`. */
export async function* readPages(
  query: Query,
  select: string,
  { start, after, fixed = [] }: {
    readonly start: readonly unknown[];
    readonly after: (last: Row) => readonly unknown[];
    readonly fixed?: readonly unknown[];
  },
): AsyncGenerator<Row> {
  for (let key = start;;) {
    const rows = await query(`${select} limit ${PAGE_SIZE}`, [...key, ...fixed]);
    yield* rows;
    if (rows.length < PAGE_SIZE) return;
    key = after(rows[rows.length - 1]);
  }
}
