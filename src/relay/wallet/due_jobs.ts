/** Decides which accepted withdrawals go into the next transfer. Pure. */
import type { Job } from "../../store/store.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import { canShareMessage, groupByMessage, MAX_BATCH_SIZE, type PayableJob } from "./withdraw_messages.ts";

/** Each has about 500 bytes, and an external message holds 64 KiB. */
export const MAX_JOBS_PER_TRANSFER = 100;

interface BatchTerms {
  readonly pools: Pick<ReadonlyMap<string, PoolState>, "get">;
  /** For so long, withdrawals that may share a message wait for others. */
  readonly batchMs: number;
}

/** Returns when a job is due although no other one is, in Unix milliseconds. */
export function dueAt(job: Job, { pools, batchMs }: BatchTerms): number {
  const wait = canShareMessage(job, pools.get(job.pool)) ? job.acceptedAt + batchMs : 0;
  return Math.max(wait, job.notBefore ?? 0);
}

/** Jobs that may share a message are due together: when the first has waited, or a message is full. */
export function selectDue(jobs: readonly Job[], now: number, terms: BatchTerms): Job[] {
  const ready = jobs.filter(({ state, notBefore = 0 }) => state === "accepted" && notBefore <= now);
  const due = new Set(ready.filter((job) => dueAt(job, terms) <= now));
  const sharing = ready.filter((job) => canShareMessage(job, terms.pools.get(job.pool)));
  for (const group of Map.groupBy(sharing, ({ pool }) => pool).values()) {
    const departs = group.length >= MAX_BATCH_SIZE || group.some((job) => due.has(job));
    if (departs) { for (const job of group) due.add(job); }
  }
  return ready.filter((job) => due.has(job));
}

/** Keeps of each pool's jobs those whose payouts its claims have room for. The rest waits for the next transfer. */
export function withinPayoutRoom<T extends { readonly pool: PoolState }>(jobs: readonly T[]): T[] {
  const counts = new Map<PoolState, number>();
  return jobs.filter(({ pool }) => {
    const count = (counts.get(pool) ?? 0) + 1;
    counts.set(pool, count);
    return count <= pool.payoutRoom;
  });
}

/** Returns how many of the jobs in `due`, from the first on, a transfer can hold with those of `batch`. */
export function countFitting(
  batch: readonly PayableJob[],
  due: readonly Job[],
  { maxMessages, pools }: Pick<BatchTerms, "pools"> & { readonly maxMessages: number },
): number {
  const jobs = [...batch, ...due.map((job) => ({ job, pool: pools.get(job.pool) }))];
  let count = Math.min(due.length, MAX_JOBS_PER_TRANSFER - batch.length);
  while (count > 0 && groupByMessage(jobs.slice(0, batch.length + count)).length > maxMessages) count--;
  return count;
}
