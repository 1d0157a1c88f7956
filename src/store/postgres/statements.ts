/** The statements that several places send. Tables are named without their schema: the connection's search path says. */
import { Buffer } from "node:buffer";
import type { Deposit, Job, PoolId, Withdrawal } from "../store.ts";
import type { Query } from "./database.ts";
import { element, jobColumns, jobValues } from "./rows.ts";

const jobNames = jobColumns.join(", ");
const jobPlaces = jobColumns.map((_, i) => `$${i + 1}`).join(", ");
const jobChanges = jobColumns.slice(2).map((name, i) => `${name} = $${i + 3}`).join(", ");

export const insertJob = `insert into jobs (${jobNames}) values (${jobPlaces})`;
export const updateJob = `update jobs set ${jobChanges} where pool = $1 and nullifier_hash = $2`;
export const insertTransfer =
  "insert into transfers (hash, seqno, valid_until, boc, jobs, signed_at) values ($1, $2, $3, $4, $5, $6)";

/** Of two at once exactly one gets in. */
export const insertIdentity = "insert into identity (network, wallet) values ($1, $2) on conflict do nothing";

/** Adds deposits in one statement. */
export async function addDeposits(query: Query, pool: PoolId, rows: readonly Deposit[]): Promise<void> {
  if (rows.length === 0) return;
  await query(
    `insert into deposits (pool, leaf_index, commitment, "timestamp", tx_hash)
     select $1, * from unnest($2::int[], $3::bytea[], $4::bigint[], $5::text[])`,
    [
      pool,
      rows.map(({ leafIndex }) => leafIndex),
      rows.map(({ commitment }) => element(commitment)),
      rows.map(({ timestamp }) => timestamp),
      rows.map(({ txHash }) => txHash),
    ],
  );
}

/** Adds withdrawals in one statement. */
export async function addWithdrawals(query: Query, pool: PoolId, rows: readonly Withdrawal[]): Promise<void> {
  if (rows.length === 0) return;
  await query(
    `insert into withdrawals (pool, nullifier_hash, fee, refund, "timestamp", tx_hash)
     select $1, * from unnest($2::bytea[], $3::numeric[], $4::numeric[], $5::bigint[], $6::text[])`,
    [
      pool,
      rows.map(({ nullifierHash }) => element(nullifierHash)),
      rows.map(({ fee }) => String(fee)),
      rows.map(({ refund }) => String(refund)),
      rows.map(({ timestamp }) => timestamp),
      rows.map(({ txHash }) => txHash),
    ],
  );
}

/** Writes a job over the row of its name. */
export async function writeJob(query: Query, job: Job): Promise<void> {
  await query(updateJob, jobValues(job));
}

/**
 * Holds back, until this transaction ends, every other one that decides about one of these nullifier hashes. A row lock
 * cannot: what is decided is that a row is *not* there. In ascending order, so that no two wait for each other.
 */
export async function lockHashes(query: Query, hashes: Iterable<bigint>): Promise<void> {
  const numbers = [...new Set(hashes)].map((hash) => BigInt.asIntN(64, hash)).sort((a, b) =>
    Number(a > b) - Number(a < b)
  );
  if (numbers.length === 0) return;
  await query(
    "select pg_advisory_xact_lock(number) from (select unnest($1::bigint[]) as number) as numbers",
    [numbers.map(String)],
  );
}

/** The two values that name a job's or a withdrawal's row. */
export function named(pool: PoolId, nullifierHash: bigint): [PoolId, Buffer] {
  return [pool, element(nullifierHash)];
}
