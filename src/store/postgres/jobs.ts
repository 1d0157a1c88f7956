import type { Job, JobId, PoolId, SettlingEvent } from "../store.ts";
import type { Query } from "./database.ts";
import { fieldToBytea, JOB_COLUMNS, jobToValues, rowToJob } from "./rows.ts";
import { toRowKey } from "./statements.ts";

const JOB_COLUMN_LIST = JOB_COLUMNS.join(", ");
const JOB_PLACEHOLDERS = JOB_COLUMNS.map((_, i) => `$${i + 1}`).join(", ");
const JOB_ASSIGNMENTS = JOB_COLUMNS.slice(2).map((name, i) => `${name} = $${i + 3}`).join(", ");

export const INSERT_JOB_SQL = `insert into jobs (${JOB_COLUMN_LIST}) values (${JOB_PLACEHOLDERS})`;
const UPDATE_JOB_SQL = `update jobs set ${JOB_ASSIGNMENTS} where pool = $1 and nullifier_hash = $2`;

export async function writeJob(query: Query, job: Job): Promise<void> {
  await query(UPDATE_JOB_SQL, jobToValues(job));
}

export async function settleJobs(
  query: Query,
  pool: PoolId,
  events: readonly SettlingEvent[],
  settle: (job: Job, event: SettlingEvent) => Job | undefined,
): Promise<void> {
  if (events.length === 0) return;
  const jobs = await lockJobs(query, pool, events.map(({ nullifierHash }) => nullifierHash));
  const changed = new Map<bigint, Job>();
  for (const event of events) {
    const job = jobs.get(event.nullifierHash);
    const settled = job && settle(job, event);
    if (settled === undefined) continue;
    jobs.set(event.nullifierHash, settled);
    changed.set(event.nullifierHash, settled);
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
  return new Map(rows.map(rowToJob).map((job) => [job.nullifierHash, job]));
}

export async function selectJob(
  query: Query,
  id: JobId,
  lock: "" | "for update" = "",
): Promise<Job | undefined> {
  const [row] = await query(
    `select * from jobs where pool = $1 and nullifier_hash = $2 ${lock}`,
    toRowKey(id.pool, id.nullifierHash),
  );
  return row && rowToJob(row);
}
