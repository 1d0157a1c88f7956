import { isLive, type Job, type SettlingEvent, type Store } from "../../store/store.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { HourlyCaps } from "../withdrawals/hourly_caps.ts";

/** Called once for each written change; `event` is its cause, if any. */
type JobObserver = (before: Job, after: Job, event?: SettlingEvent) => void;

export function withJobObserver(store: Store, observe: JobObserver): Store {
  const observed: Pick<Store, "apply" | "changeJob" | "rollBack"> = {
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
  return new Proxy(store, {
    get(target, name) {
      const member = Reflect.get(name in observed ? observed : target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

interface JobObserverDeps {
  readonly metrics?: Pick<Metrics, "recordSettlement" | "recordSuperseded"> | undefined;
  /** Released for jobs that failed or expired. */
  readonly hourlyCaps?: Pick<HourlyCaps, "release"> | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** By raw address; undefined for unregistered pools. */
  readonly poolName: (id: string) => string | undefined;
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
