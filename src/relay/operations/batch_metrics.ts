/** Counts the settlements and the sizes of withdrawal messages in a pool's events. */
import type { Metrics } from "../../telemetry/metrics.ts";
import type { PoolEvent } from "../../ton/pool/history/pool_events.ts";

/** `settled`: number of settled deposits before the events. */
export type BatchObserver = (
  pool: { readonly key: string },
  events: readonly PoolEvent[],
  settled: number,
) => void;

export function createBatchObserver(
  metrics: Pick<Metrics, "recordPoolSettlement" | "recordWithdrawalBatch">,
): BatchObserver {
  return ({ key }, events, settled) => {
    const withdrawals = new Map<string, number>();
    for (const event of events) {
      if (event.kind === "settlement") {
        metrics.recordPoolSettlement(key, event.end - settled);
        settled = event.end;
      }
      if (event.kind === "withdrawal" || event.kind === "skipped") {
        withdrawals.set(event.tx.hash, (withdrawals.get(event.tx.hash) ?? 0) + 1);
      }
    }
    for (const size of withdrawals.values()) metrics.recordWithdrawalBatch(key, size);
  };
}
