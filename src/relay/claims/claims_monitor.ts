/** Reads how many payouts each jetton pool still owes, which limits the withdrawals that it accepts. */
import type { Chain } from "../../ton/chain.ts";
import type { Clock } from "../../core/time/clock.ts";
import { payoutRoom } from "./claim_room.ts";
import { Pool } from "../../ton/pool/pool.ts";
import type { ChangeSignal } from "../change_signal.ts";
import type { Log } from "../../telemetry/log.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import type { PollingIntervals } from "../polling_intervals.ts";

const CLAIMS_POLL_MS = 30_000;

interface ClaimsMonitorDeps {
  readonly chain: Chain;
  readonly clock: Clock;
  readonly intervals: Pick<PollingIntervals, "payoutMs">;
  /** Notified when a pool's room was read: withdrawals may wait for it. */
  readonly changes: ChangeSignal;
  readonly log: Log;
}

export async function watchClaims(
  pools: readonly PoolState[],
  deps: ClaimsMonitorDeps,
  signal: AbortSignal,
): Promise<void> {
  const { clock, changes, intervals: { payoutMs } } = deps;
  const readAt = new Map<PoolState, number>();
  const jettonPools = pools.filter(({ deployment }) => deployment.asset !== "native");
  while (!signal.aborted && jettonPools.length > 0) {
    for (const pool of jettonPools) {
      const isActive = pool.claimRoom.uncounted(pool.tree.paymentCount) > 0;
      const sinceRead = clock.now() - (readAt.get(pool) ?? -Infinity);
      if (sinceRead < (isActive ? payoutMs : CLAIMS_POLL_MS)) continue;
      readAt.set(pool, clock.now());
      await updateClaims(pool, deps, signal);
      changes.notify();
    }
    await clock.sleep(payoutMs, signal);
  }
}

async function updateClaims(
  pool: PoolState,
  { chain, clock, intervals, log }: ClaimsMonitorDeps,
  signal: AbortSignal,
): Promise<void> {
  const at = clock.now();
  const known = pool.openClaims;
  let claims: number, withdrawals: number;
  try {
    ({ claims, withdrawals } = await new Pool(chain, pool.deployment.address).getPoolInfo({
      signal,
      lowPriority: true,
    }));
  } catch {
    return; // the indexer reports endpoint failures
  }
  pool.claimRoom.update({ at, claims, withdrawals }, intervals.payoutMs);
  if (claims === known) return;
  const members = { pool: pool.key, claims };
  if (payoutRoom(claims) === 0) {
    log.error("{pool} refuses withdrawals: its wallet refused {claims} payouts", members);
  } else if (claims > 0) log.warning("{pool} has {claims} payouts that its wallet refused", members);
  else log.info("{pool} has no refused payouts left", members);
}
