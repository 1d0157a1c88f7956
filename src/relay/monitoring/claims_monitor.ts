import type { Chain } from "../../ton/chain.ts";
import { type Clock } from "../../core/time.ts";
import { Pool } from "../../ton/pool/pool.ts";
import type { Log } from "../../telemetry/log.ts";
import type { PoolState } from "../indexer/pool_state.ts";

const CLAIMS_POLL_MS = 30_000;

export async function watchClaims(
  pools: readonly PoolState[],
  { chain, clock, log }: { readonly chain: Chain; readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  const jettonPools = pools.filter(({ deployment }) => deployment.asset !== "native");
  while (!signal.aborted && jettonPools.length > 0) {
    for (const pool of jettonPools) await updateClaims(pool, { chain, log }, signal);
    await clock.sleep(CLAIMS_POLL_MS, signal);
  }
}

async function updateClaims(
  pool: PoolState,
  { chain, log }: { readonly chain: Chain; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  let claims: number;
  try {
    ({ claims } = await new Pool(chain, pool.deployment.address).getPoolInfo({ signal, lowPriority: true }));
  } catch {
    return; // the indexer reports endpoint failures
  }
  if (claims === pool.openClaims) return;
  pool.openClaims = claims;
  const members = { pool: pool.key, claims };
  if (pool.payoutRoom === 0) {
    log.error("{pool} refuses withdrawals: its wallet refused {claims} payouts", members);
  } else if (claims > 0) log.warning("{pool} has {claims} payouts that its wallet refused", members);
  else log.info("{pool} has no refused payouts left", members);
}
