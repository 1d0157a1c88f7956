/** Decides which accepted withdrawals go into the next transfer. Pure. */
import type { Job, PoolId } from "../../store/store.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import { canShareMessage, groupByMessage, MAX_BATCH_SIZE, type PayableJob } from "./withdraw_messages.ts";

/** A message has about 500 bytes, and an external message at most 64 KiB. */
export const MAX_JOBS_PER_TRANSFER = 100;

interface BatchPolicy {
  readonly pools: Pick<ReadonlyMap<string, PoolState>, "get">;
  /** Milliseconds that withdrawals wait for others to share a message with. */
  readonly batchMs: number;
}

/** Returns the time at which a job is due even without others, in Unix milliseconds. */
export function dueAt(job: Job, { pools, batchMs }: BatchPolicy): number {
  const wait = canShareMessage(job, pools.get(job.pool)) ? job.acceptedAt + batchMs : 0;
  return Math.max(wait, job.notBefore ?? 0);
}

/** Jobs that may share a message are due together: when the first has waited `batchMs`, or the message is full. */
export function selectDue(jobs: readonly Job[], now: number, policy: BatchPolicy): Job[] {
  const ready = jobs.filter(({ state, notBefore = 0 }) => state === "accepted" && notBefore <= now);
  const due = new Set(ready.filter((job) => dueAt(job, policy) <= now));
  const sharing = ready.filter((job) => canShareMessage(job, policy.pools.get(job.pool)));
  for (const group of Map.groupBy(sharing, ({ pool }) => pool).values()) {
    const isDue = group.length >= MAX_BATCH_SIZE || group.some((job) => due.has(job));
    if (isDue) { for (const job of group) due.add(job); }
  }
  return ready.filter((job) => due.has(job));
}

/** A withdrawal that was sent this long ago and has no event yet is no longer counted. */
const MAX_UNDER_WAY_MS = 600_000;

/** Counts each pool's withdrawals that were sent and whose events the indexer has not read yet. */
export function countUnconfirmed(jobs: readonly Job[], now: number): ReadonlyMap<PoolId, number> {
  const counts = new Map<PoolId, number>();
  for (const { pool, state, broadcastAt = 0 } of jobs) {
    if (state !== "broadcast" || now - broadcastAt >= MAX_UNDER_WAY_MS) continue;
    counts.set(pool, (counts.get(pool) ?? 0) + 1);
  }
  return counts;
}

/** Selects the jobs that fit into their pool's room for claims. The others wait for a later transfer. */
export function withinPayoutRoom<T extends { readonly pool: PoolState }>(
  jobs: readonly T[],
  underWay: ReadonlyMap<PoolId, number>,
): T[] {
  const counts = new Map<PoolState, number>();
  return jobs.filter(({ pool }) => {
    const count = (counts.get(pool) ?? underWay.get(pool.id) ?? 0) + 1;
    counts.set(pool, count);
    return count <= pool.payoutRoom;
  });
}

/** Returns how many of the first jobs in `due` fit into a transfer together with those of `batch`. */
export function countFitting(
  batch: readonly PayableJob[],
  due: readonly Job[],
  { maxMessages, pools }: Pick<BatchPolicy, "pools"> & { readonly maxMessages: number },
): number {
  const jobs = [...batch, ...due.map((job) => ({ job, pool: pools.get(job.pool) }))];
  let count = Math.min(due.length, MAX_JOBS_PER_TRANSFER - batch.length);
  while (count > 0 && groupByMessage(jobs.slice(0, batch.length + count)).length > maxMessages) count--;
  return count;
}
