/** Forgets withdrawals some time after their end. What the chain tells of them, their payment, stays. */
import type { Store } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Clock } from "./clock.ts";
import type { Leadership } from "./leadership.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What forgetting needs. */
export interface RetentionDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly leadership: Pick<Leadership, "leads">;
  readonly log: Log;
}

/** Looks once an hour, while this replica leads, until `signal` aborts. */
export async function runRetention(
  days: number,
  { store, clock, leadership, log }: RetentionDeps,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(HOUR_MS, signal);
    if (signal.aborted || !leadership.leads) continue;
    try {
      const count = await store.forgetJobs(clock.now() - days * DAY_MS);
      if (count > 0) {
        log.info("{count} withdrawals that ended {days} days ago are forgotten", { count, days });
      }
    } catch (error) {
      log.warning("old withdrawals are kept for now: {error}", { error: String(error) });
    }
  }
}
