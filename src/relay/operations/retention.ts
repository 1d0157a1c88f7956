/** Deletes withdrawals some time after they ended. Payments stay, because they are chain data. */
import type { Store } from "../../store/store.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Leadership } from "./leadership.ts";

const RETENTION_INTERVAL_MS = 3_600_000;
const DAY_MS = 24 * RETENTION_INTERVAL_MS;

interface RetentionDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly leadership: Pick<Leadership, "isLeader">;
  readonly log: Log;
}

export async function runRetention(
  days: number,
  { store, clock, leadership, log }: RetentionDeps,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(RETENTION_INTERVAL_MS, signal);
    if (signal.aborted || !leadership.isLeader) continue;
    try {
      const count = await store.deleteEndedJobs(clock.now() - days * DAY_MS);
      if (count > 0) {
        log.info("deleted {count} withdrawals that ended more than {days} days ago", { count, days });
      }
    } catch (error) {
      log.warning("old withdrawals could not be deleted, retrying later: {error}", { error: String(error) });
    }
  }
}
