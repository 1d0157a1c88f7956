/**
 * Withdrawals that wait and that nobody works on, because their pool is not served any more: taken out of the registry,
 * or refused. They were promised, so they are told until they have ended; nothing of them is lost meanwhile.
 */
import type { PoolId, Store } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Clock } from "./clock.ts";
import type { PoolState } from "./pool_state.ts";

const LOOK_MS = 30_000;

/** How many there are. */
export class Stranded {
  /** As of the last look. */
  count = 0;
}

/** What looking needs. */
export interface StrandedWatch {
  readonly store: Store;
  readonly clock: Clock;
  /** The pools that are served, by raw address. */
  readonly pools: Pick<ReadonlyMap<PoolId, PoolState>, "get">;
  readonly log: Log;
}

/** Looks until `signal` aborts, and says each change. */
export async function watchStranded(
  stranded: Stranded,
  { store, clock, pools, log }: StrandedWatch,
  signal: AbortSignal,
): Promise<void> {
  let said = "";
  while (!signal.aborted) {
    try {
      const waiting = new Map<PoolId, number>();
      for (const { pool } of await store.liveJobs()) {
        if (pools.get(pool) === undefined) waiting.set(pool, (waiting.get(pool) ?? 0) + 1);
      }
      stranded.count = [...waiting.values()].reduce((sum, count) => sum + count, 0);
      const now = JSON.stringify([...waiting]);
      for (const [pool, count] of now === said ? [] : waiting) {
        log.error(
          "{count} withdrawals of {pool} wait, and it is not served: put it back into the registry until they have ended",
          { count, pool },
        );
      }
      if (waiting.size === 0 && said !== "" && now !== said) {
        log.info("no withdrawal waits for a pool that is not served");
      }
      said = now;
    } catch {
      // A store that does not answer is told of elsewhere.
    }
    await clock.sleep(LOOK_MS, signal);
  }
}
