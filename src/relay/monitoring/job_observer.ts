import { isLive, type Job, type Store } from "../../store/store.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { HourlyCaps } from "../withdrawals/hourly_caps.ts";

/** Called once for each written change. */
type JobObserver = (before: Job, after: Job) => void;

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
    ...bindMethods(store),
    apply: (batch, settle) =>
      observed((record) =>
        store.apply(batch, (job, event) => record(job, settle(job, event), event.tx.hash))
      ),
    changeJob: (id, change) => observed((record) => store.changeJob(id, (job) => record(job, change(job)))),
    rollBack: (rollback, reopen) =>
      observed((record) => store.rollBack(rollback, (job) => record(job, reopen(job)))),
  };
}

type RecordChange = (before: Job, after: Job | undefined, cause?: string) => Job | undefined;

/** Returns a copy whose methods work: spreading an instance of a class would lose them. */
function bindMethods(store: Store): Store {
  const names = [...Object.keys(store), ...Object.getOwnPropertyNames(Object.getPrototypeOf(store))];
  const members = names.map((name) => {
    const member: unknown = store[name as keyof Store];
    return [name, typeof member === "function" ? member.bind(store) : member];
  });
  return Object.fromEntries(members);
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
