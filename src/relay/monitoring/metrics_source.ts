/** Collects the values of the gauges when metrics are scraped. */
import type { Store } from "../../store/store.ts";
import type { MetricsSource } from "../../telemetry/metrics.ts";
import type { WalletBalance } from "../wallet/balance.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Health } from "./health.ts";
import type { Leadership } from "../operations/leadership.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import type { ProofVerifier } from "../withdrawals/proof_verifier.ts";
import type { OrphanedJobs } from "../operations/orphaned_jobs.ts";
import type { PoolFundsMonitor, PoolSurplus } from "./pool_funds_monitor.ts";

const NANO_PER_NATIVE = 1e9;

export function createMetricsSource(
  { pools, poolFunds, leadership, store, orphaned, balance, verifier, health, clock }: {
    readonly pools: readonly PoolState[];
    readonly poolFunds: PoolFundsMonitor;
    readonly leadership: Leadership;
    readonly store: Store;
    readonly orphaned: OrphanedJobs;
    readonly balance: WalletBalance;
    readonly verifier: ProofVerifier;
    readonly health: () => Promise<Health>;
    readonly clock: Clock;
  },
): MetricsSource {
  return {
    // A gauge is a float, which is precise enough.
    balance: () => balance.lastKnown === undefined ? undefined : Number(balance.lastKnown) / NANO_PER_NATIVE,
    async liveJobs() {
      const count: Record<string, number> = { accepted: 0, broadcast: 0 };
      for (const { state } of await store.liveJobs()) count[state]++;
      return count;
    },
    orphanedJobCount: () => orphaned.count,
    isLeader: () => leadership.isLeader,
    pendingProofCount: () => verifier.pendingCount,
    pools: () =>
      pools.map((pool) => ({
        pool: pool.key,
        ready: pool.readiness(clock.now()).ready && !pool.lacksMinFee,
        lacksMinFee: pool.lacksMinFee,
        leafCount: pool.tree.size,
        openClaims: pool.openClaims,
        ...pool.settledPool && formatQueue(pool.settledPool.queue, clock.now()),
        ...(pool.syncedAt === -Infinity ? {} : { lagSeconds: (clock.now() - pool.syncedAt) / 1000 }),
        lagLt: pool.newestLt > pool.appliedLt ? pool.newestLt - pool.appliedLt : 0n,
        rootMismatches: pool.rootMismatches,
        ...formatSurplus(poolFunds.get(pool)),
      })),
    async dependencies() {
      const { dependencies } = await health();
      return Object.fromEntries(Object.entries(dependencies).map(([name, { state }]) => [name, state]));
    },
  };
}

/** The end of the year 9999, which stands for any later time. */
const NEVER_SECONDS = 253_402_300_799;

function formatSurplus(known: PoolSurplus | undefined) {
  if (known === undefined) return {};
  return {
    surplus: Number(known.surplus) / NANO_PER_NATIVE,
    surplusUntilSeconds: Math.min(known.until, NEVER_SECONDS),
    storageDebt: Number(known.debt) / NANO_PER_NATIVE,
  };
}

function formatQueue(queue: readonly { readonly timestamp: number }[], now: number) {
  const [oldest] = queue;
  return {
    queued: queue.length,
    oldestWaitSeconds: oldest === undefined ? 0 : Math.max(0, now / 1000 - oldest.timestamp),
  };
}
