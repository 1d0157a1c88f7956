import { isLive, type Job, type SettlingEvent, type Store } from "../../store/store.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { HourlyCaps } from "../withdrawals/hourly_caps.ts";

/** Called once for each written change; `event` is its cause, if any. */
type JobObserver = (before: Job, after: Job, event?: SettlingEvent) => void;

export function withJobObserver(store: Store, observe: JobObserver): Store {
  return {
    ...delegateStore(store),
    async apply(batch, settle) {
      const changes = new Map<string, [Job, Job | undefined, SettlingEvent]>(); // by job: an adapter that retries calls again
      await store.apply(batch, (job, event) => {
        const after = settle(job, event);
        changes.set(`${job.nullifierHash} ${event.tx.hash}`, [job, after, event]);
        return after;
      });
      for (const [before, after, event] of changes.values()) if (after) observe(before, after, event);
    },
    async changeJob(id, change) {
      let changed: [Job, Job | undefined] | undefined;
      const result = await store.changeJob(id, (job) => {
        const after = change(job);
        changed = [job, after];
        return after;
      });
      if (changed?.[1]) observe(changed[0], changed[1]);
      return result;
    },
    async rollBack(rollback, reopen) {
      const changes = new Map<bigint, [Job, Job]>();
      await store.rollBack(rollback, (job) => {
        const after = reopen(job);
        if (after) changes.set(job.nullifierHash, [job, after]);
        return after;
      });
      for (const [before, after] of changes.values()) observe(before, after);
    },
  };
}

interface JobObserverDeps {
  readonly metrics?: Pick<Metrics, "recordSettlement" | "recordSuperseded"> | undefined;
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
      metrics?.recordSettlement(pool, after.state, seconds);
    }
    const isSuperseded = after.state === "superseded" && before.state !== "superseded";
    if (pool !== undefined && isSuperseded) metrics?.recordSuperseded(pool);
    const isUnpaid = after.state === "failed" || after.state === "expired";
    if (isUnpaid && before.state !== after.state) void hourlyCaps?.release(after);
  };
}

function delegateStore(store: Store): Store {
  return {
    batchLimit: store.batchLimit,
    isShared: store.isShared,
    health: () => store.health(),
    acquireLease: (ms) => store.acquireLease(ms),
    releaseLease: () => store.releaseLease(),
    cursor: (pool) => store.cursor(pool),
    apply: (batch, settle) => store.apply(batch, settle),
    rollBack: (rollback, reopen) => store.rollBack(rollback, reopen),
    withdrawals: (pool) => store.withdrawals(pool),
    leaves: (pool, leafIndex) => store.leaves(pool, leafIndex),
    poolLog: (pool, position) => store.poolLog(pool, position),
    deposit: (pool, leafIndex) => store.deposit(pool, leafIndex),
    withdrawal: (pool, nullifierHash) => store.withdrawal(pool, nullifierHash),
    job: (id) => store.job(id),
    addJob: (job, replaces) => store.addJob(job, replaces),
    changeJob: (id, change) => store.changeJob(id, change),
    liveJobs: () => store.liveJobs(),
    transfer: () => store.transfer(),
    beginTransfer: (transfer) => store.beginTransfer(transfer),
    endTransfer: (hash, ledger) => store.endTransfer(hash, ledger),
    ledger: (since, until) => store.ledger(since, until),
    deleteEndedJobs: (before) => store.deleteEndedJobs(before),
    close: () => store.close(),
  };
}
