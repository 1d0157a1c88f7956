/** Computes the readiness of the relayer. Reasons contain no server name and no address. */
import type { StoreHealth } from "../../store/store.ts";
import type { WalletBalance } from "../wallet/balance.ts";
import type { Readiness } from "../indexer/pool_state.ts";

export interface DependencyHealth {
  readonly state: "ok" | "degraded" | "down";
  readonly reason?: string;
}

export interface Health {
  readonly ready: boolean;
  readonly leads: boolean; // this replica indexes and signs
  readonly dependencies: Readonly<Record<string, DependencyHealth>>;
  readonly pools: Readonly<Record<string, Readiness & { readonly leaves: number }>>;
}

export interface HealthSources {
  readonly pools: Health["pools"];
  readonly isLeader: boolean;
  /** Whether the store has lately answered a request for the lease; undefined for a single process. */
  readonly isLeaseKnown: boolean | undefined;
  readonly store: StoreHealth;
  /** State at the last response; undefined before the first one. */
  readonly chain: "ok" | "failed" | "stalled" | "clock skew" | undefined;
  readonly cache?: { check(): Promise<DependencyHealth> };
  readonly balance: WalletBalance;
  readonly orphanedJobCount: number;
  readonly isVerifierFull: boolean;
  /** Jetton pools that are not served for lack of a minimum fee. */
  readonly unpricedPools?: readonly string[];
}

export const healthy: DependencyHealth = { state: "ok" };

/** Ready means that the registry has pools and all of them are served. */
export async function checkHealth(sources: HealthSources): Promise<Health> {
  const { pools, isLeader: leads, isLeaseKnown, store, cache, unpricedPools = [] } = sources;
  const dependencies: Record<string, DependencyHealth> = {
    registry: registryState(Object.keys(pools).length, sources.orphanedJobCount, unpricedPools),
    store: store.ok ? healthy : down(store.reason),
    ...isLeaseKnown !== undefined &&
      { lead: isLeaseKnown ? healthy : degraded("no known leader: nothing is signed") },
    chain: chainState(sources.chain),
    wallet: walletState(sources.balance),
    prover: sources.isVerifierFull ? degraded("the queue of proofs is full") : healthy,
    ...cache && { cache: await cache.check() },
  };
  const ready = Object.values(dependencies).every(({ state }) => state !== "down") &&
    Object.values(pools).every((pool) => pool.ready);
  return { ready, leads, dependencies, pools };
}

function registryState(pools: number, orphaned: number, unpriced: readonly string[]): DependencyHealth {
  const reason = `not served without a feeMin in the registry: ${unpriced.join(", ")}`;
  if (unpriced.length > 0) return pools === 0 ? down(reason) : degraded(reason);
  if (pools === 0) return down("the deployments registry lists no pools");
  return orphaned === 0
    ? healthy
    : degraded("withdrawals wait for a pool that is not served; the log names it");
}

function chainState(chain: HealthSources["chain"]): DependencyHealth {
  if (chain === "stalled") return down("the chain endpoint shows no new blocks");
  if (chain === "clock skew") {
    return degraded("its time and this machine's clock differ by minutes: nothing is paid until they agree");
  }
  return chain === "failed" ? degraded("the last response of the chain endpoint was an error") : healthy;
}

function walletState(balance: WalletBalance): DependencyHealth {
  if (balance.lastKnown === undefined) return degraded("its balance is not known yet");
  const level = balance.levelOf(balance.lastKnown);
  if (level === "ok") return healthy;
  return degraded(level === "low" ? "its balance is low" : "its balance is too low to accept withdrawals");
}

export function degraded(reason: string): DependencyHealth {
  return { state: "degraded", reason };
}

function down(reason: string): DependencyHealth {
  return { state: "down", reason };
}
