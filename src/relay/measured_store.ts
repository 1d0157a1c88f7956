/** A store whose jobs are counted as they end. It changes nothing that goes in or comes out. */
import { isLive, type Job, type SettlingEvent, type Store } from "../store/store.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Books } from "./books.ts";

/** Counts what ends in `store`. @param poolName of a raw address; a pool that is not registered has none */
export function measureStore(
  store: Store,
  { metrics, now, poolName, books }: {
    metrics: Pick<Metrics, "settled">;
    now: () => number;
    poolName: (id: string) => string | undefined;
    /** Counts what an event that changed a job paid and cost. */
    books?: Pick<Books, "settled">;
  },
): Store {
  function count(before: Job, after: Job | undefined): void {
    const pool = poolName(before.pool);
    if (after === undefined || pool === undefined || !isLive(before) || isLive(after)) return;
    const seconds = after.state === "confirmed" ? (now() - before.acceptedAt) / 1000 : undefined;
    metrics.settled(pool, after.state, seconds);
  }
  const measured: Pick<Store, "apply" | "changeJob"> = {
    async apply(batch, settle) {
      const changes = new Map<string, [Job, Job | undefined, SettlingEvent]>(); // an adapter that starts over asks again
      await store.apply(batch, (job, event) => {
        const after = settle(job, event);
        changes.set(`${job.nullifierHash} ${event.tx.hash}`, [job, after, event]);
        return after;
      });
      for (const [before, after, event] of changes.values()) {
        count(before, after);
        if (after !== undefined) books?.settled(before.pool, event);
      }
    },
    async changeJob(id, change) {
      let changed: [Job, Job | undefined] | undefined;
      const result = await store.changeJob(id, (job) => {
        const after = change(job);
        changed = [job, after];
        return after;
      });
      if (changed) count(...changed);
      return result;
    },
  };
  return new Proxy(store, {
    get(target, name) {
      if (name in measured) return measured[name as keyof typeof measured];
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
