/** The jobs in PostgreSQL. */
import type { Job, JobEvent, JobId, PoolId, Withdrawal } from "../store.ts";
import type { Query } from "./database.ts";
import { fieldToBytea } from "./table.ts";
import { fromJobRow, jobTable, toJobRow, withdrawalTable } from "./tables.ts";

const JOB_ASSIGNMENTS = jobTable.columnNames.slice(2).map((name, i) => `${name} = $${i + 3}`).join(", ");
const UPDATE_JOB_SQL = `update jobs set ${JOB_ASSIGNMENTS} where pool = $1 and nullifier_hash = $2`;

export async function writeJob(query: Query, job: Job): Promise<void> {
  await query(UPDATE_JOB_SQL, jobTable.toValues(toJobRow(job)));
}

export async function applyJobEvents(
  query: Query,
  pool: PoolId,
  events: readonly JobEvent[],
  change: (job: Job, event: JobEvent) => Job | undefined,
): Promise<void> {
  if (events.length === 0) return;
  const jobs = await lockJobs(query, pool, events.map(({ nullifierHash }) => nullifierHash));
  const changed = new Map<bigint, Job>();
  for (const event of events) {
    const job = jobs.get(event.nullifierHash);
    const changedJob = job && change(job, event);
    if (changedJob === undefined) continue;
    jobs.set(event.nullifierHash, changedJob);
    changed.set(event.nullifierHash, changedJob);
  }
  for (const job of changed.values()) await writeJob(query, job);
}

export async function lockJobs(
  query: Query,
  pool: PoolId,
  hashes: readonly bigint[],
): Promise<Map<bigint, Job>> {
  const rows = await query(
    "select * from jobs where pool = $1 and nullifier_hash = any($2::bytea[]) order by nullifier_hash for update",
    [pool, hashes.map(fieldToBytea)],
  );
  return new Map(rows.map((row) => fromJobRow(jobTable.parse(row))).map((job) => [job.nullifierHash, job]));
}

const BY_NOTE_SQL = "where pool = $1 and nullifier_hash = $2";

export async function selectJob(
  query: Query,
  id: JobId,
  lock: "" | "for update" = "",
): Promise<Job | undefined> {
  const found = await jobTable.find(query, `${BY_NOTE_SQL} ${lock}`, [
    id.pool,
    fieldToBytea(id.nullifierHash),
  ]);
  return found && fromJobRow(found);
}

export function selectWithdrawal(query: Query, id: JobId): Promise<Withdrawal | undefined> {
  return withdrawalTable.find(query, BY_NOTE_SQL, [id.pool, fieldToBytea(id.nullifierHash)]);
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
