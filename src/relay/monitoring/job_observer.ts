/** Reports each change of a job that the store has written. */
import { isLive, type Job, type Store } from "../../store/store.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { HourlyCaps } from "../withdrawals/hourly_caps.ts";

/** Called once for each written change. */
type JobObserver = (before: Job, after: Job) => void;

/** Returns the store, which calls `observe` after each write that changed a job. */
export function withJobObserver(store: Store, observe: JobObserver): Store {
  async function observed<T>(write: (record: RecordChange) => Promise<T>): Promise<T> {
    const changes = new Map<string, [Job, Job | undefined]>(); // by job and cause: an adapter that retries calls again
    const result = await write((before, after, cause = "") => {
      changes.set(`${before.nullifierHash} ${cause}`, [before, after]);
      return after;
    });
    for (const [before, after] of changes.values()) if (after) observe(before, after);
    return result;
  }
  return {
    batchLimit: store.batchLimit,
    isShared: store.isShared,
    health: () => store.health(),
    acquireLease: (ms) => store.acquireLease(ms),
    releaseLease: () => store.releaseLease(),
    cursor: (pool) => store.cursor(pool),
    apply: (batch, change) =>
      observed((record) =>
        store.apply(batch, (job, event) => record(job, change(job, event), event.tx.hash))
      ),
    rollBack: (rollback, reopen) =>
      observed((record) => store.rollBack(rollback, (job) => record(job, reopen(job)))),
    withdrawals: (pool) => store.withdrawals(pool),
    leaves: (pool, leafIndex) => store.leaves(pool, leafIndex),
    poolLog: (pool, position) => store.poolLog(pool, position),
    deposit: (pool, leafIndex) => store.deposit(pool, leafIndex),
    withdrawal: (pool, nullifierHash) => store.withdrawal(pool, nullifierHash),
    job: (id) => store.job(id),
    addJob: (job, replaces) => store.addJob(job, replaces),
    changeJob: (id, change) => observed((record) => store.changeJob(id, (job) => record(job, change(job)))),
    liveJobs: () => store.liveJobs(),
    transfer: () => store.transfer(),
    beginTransfer: (transfer) => store.beginTransfer(transfer),
    endTransfer: (hash, ledger) => store.endTransfer(hash, ledger),
    ledger: (since, until) => store.ledger(since, until),
    deleteEndedJobs: (before) => store.deleteEndedJobs(before),
    close: () => store.close(),
  };
}

type RecordChange = (before: Job, after: Job | undefined, cause?: string) => Job | undefined;

interface JobObserverDeps {
  readonly metrics?: Pick<Metrics, "recordJobEnd" | "recordSuperseded"> | undefined;
  readonly hourlyCaps?: Pick<HourlyCaps, "release"> | undefined;
  readonly now: () => number; // Unix milliseconds
  readonly poolName: (id: string) => string | undefined; // by raw address; undefined for unregistered pools
}

export function createJobObserver(
  { metrics, hourlyCaps, now, poolName }: JobObserverDeps,
): JobObserver {
  return (before, after) => {
    const pool = poolName(before.pool);
    if (pool !== undefined && isLive(before) && !isLive(after)) {
      const seconds = after.state === "confirmed" ? (now() - before.acceptedAt) / 1000 : undefined;
      metrics?.recordJobEnd(pool, after.state, seconds);
    }
    const isSuperseded = after.state === "superseded" && before.state !== "superseded";
    if (pool !== undefined && isSuperseded) metrics?.recordSuperseded(pool);
    const isUnpaid = after.state === "failed" || after.state === "expired";
    if (isUnpaid && before.state !== after.state) void hourlyCaps?.release(after);
  };
}
