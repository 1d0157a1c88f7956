/** Reports live jobs of pools that are not served. They were accepted, so they are reported until they finish. */
import type { PoolId, Store } from "../../store/store.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { PoolState } from "../indexer/pool_state.ts";

const ORPHANED_JOBS_POLL_MS = 30_000;

export class OrphanedJobs {
  count = 0;
}

interface OrphanedJobsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly pools: Pick<ReadonlyMap<PoolId, PoolState>, "get">;
  readonly log: Log;
}

export async function watchOrphanedJobs(
  orphaned: OrphanedJobs,
  { store, clock, pools, log }: OrphanedJobsDeps,
  signal: AbortSignal,
): Promise<void> {
  let lastReported = "";
  while (!signal.aborted) {
    try {
      const waiting = new Map<PoolId, number>();
      for (const { pool } of await store.liveJobs()) {
        if (pools.get(pool) === undefined) waiting.set(pool, (waiting.get(pool) ?? 0) + 1);
      }
      orphaned.count = [...waiting.values()].reduce((sum, count) => sum + count, 0);
      const current = JSON.stringify([...waiting]);
      for (const [pool, count] of current === lastReported ? [] : waiting) {
        log.error(
          "{count} withdrawals of {pool} wait, but the pool is not served: put it back into the registry until they have ended",
          { count, pool },
        );
      }
      if (waiting.size === 0 && lastReported !== "" && current !== lastReported) {
        log.info("no withdrawals wait for pools that are not served");
      }
      lastReported = current;
    } catch {
      // Store failures are reported elsewhere.
    }
    await clock.sleep(ORPHANED_JOBS_POLL_MS, signal);
  }
}
