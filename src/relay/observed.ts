/** What the relayer shows to the metrics, read whenever somebody scrapes. */
import type { Store } from "../store/store.ts";
import type { Observed } from "../telemetry/metrics.ts";
import type { Balance } from "./balance.ts";
import type { Clock } from "./clock.ts";
import type { Health } from "./health.ts";
import type { Leadership } from "./leadership.ts";
import type { PoolState } from "./pool_state.ts";
import type { ProofVerifier } from "./proof_verifier.ts";
import type { Stranded } from "./stranded.ts";

const NANO = 1e9;

/** The relayer's state, for {@linkcode Metrics.observe}. */
export function observed({ pools, leadership, store, stranded, balance, verifier, health, clock }: {
  readonly pools: readonly PoolState[];
  readonly leadership: Leadership;
  readonly store: Store;
  readonly stranded: Stranded;
  readonly balance: Balance;
  readonly verifier: ProofVerifier;
  readonly health: () => Promise<Health>;
  readonly clock: Clock;
}): Observed {
  return {
    // A gauge is a float: six digits of a balance are enough to watch it by.
    balance: () => balance.known === undefined ? undefined : Number(balance.known) / NANO,
    async jobs() {
      const count: Record<string, number> = { accepted: 0, broadcast: 0 };
      for (const { state } of await store.liveJobs()) count[state]++;
      return count;
    },
    stranded: () => stranded.count,
    leads: () => leadership.leads,
    verifying: () => verifier.pending,
    pools: () =>
      pools.map((pool) => ({
        pool: pool.key,
        ready: pool.readiness(clock.now()).ready,
        leaves: pool.tree.size,
        ...(pool.syncedAt === -Infinity ? {} : { lagSeconds: (clock.now() - pool.syncedAt) / 1000 }),
        lagLt: pool.seenLt > pool.appliedLt ? pool.seenLt - pool.appliedLt : 0n,
        rootMismatches: pool.rootMismatches,
      })),
    async dependencies() {
      const { dependencies } = await health();
      return Object.fromEntries(Object.entries(dependencies).map(([name, { state }]) => [name, state]));
    },
  };
}
