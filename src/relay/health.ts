/**
 * How the parts that the relayer rests on are doing, for `/readyz` and the metrics. What is down keeps it from serving; what
 * is degraded takes something away, and the rest is served. A reason names no server and no address.
 */
import type { StoreHealth } from "../store/store.ts";
import type { Balance } from "./balance.ts";
import type { Readiness } from "./pool_state.ts";

/** State of one dependency. */
export interface Dependency {
  readonly state: "ok" | "degraded" | "down";
  readonly reason?: string;
}

/** What `/readyz` says. */
export interface Health {
  readonly ready: boolean;
  /** Whether this replica indexes and signs. */
  readonly leads: boolean;
  readonly dependencies: Readonly<Record<string, Dependency>>;
  readonly pools: Readonly<Record<string, Readiness & { readonly leaves: number }>>;
}

/** What is looked at. */
export interface HealthParts {
  readonly pools: Health["pools"];
  readonly leads: boolean;
  /** Whether some replica leads; undefined: there is one process. */
  readonly held: boolean | undefined;
  readonly store: StoreHealth;
  /** How the chain endpoint's last answer was; undefined: nobody has asked it. */
  readonly chain: "ok" | "failed" | "stands still" | "another time" | undefined;
  /** The shared cache; undefined: there is none. */
  readonly cache?: { state(): Promise<Dependency> };
  readonly balance: Balance;
  /** Live withdrawals of pools that are not served. */
  readonly stranded: number;
  /** Whether the verifier would turn a proof away. */
  readonly verifierFull: boolean;
}

/** All is well. */
export const ok: Dependency = { state: "ok" };

/** Looks at every part. Ready means: each registered pool is served, and there is one. */
export async function healthOf(parts: HealthParts): Promise<Health> {
  const { pools, leads, held, store, chain, cache, balance, verifierFull, stranded } = parts;
  const dependencies: Record<string, Dependency> = {
    registry: registryState(Object.keys(pools).length, stranded),
    store: store.ok ? ok : down(store.reason),
    ...(held === undefined
      ? {}
      : { lead: held ? ok : degraded("no replica is known to lead: nothing is signed") }),
    chain: chainState(chain),
    wallet: walletState(balance),
    prover: verifierFull ? degraded("the queue of proofs is full") : ok,
    ...(cache === undefined ? {} : { cache: await cache.state() }),
  };
  const ready = Object.values(dependencies).every(({ state }) => state !== "down") &&
    Object.values(pools).every((pool) => pool.ready);
  return { ready, leads, dependencies, pools };
}

function registryState(pools: number, stranded: number): Dependency {
  if (pools === 0) return down("the deployments registry lists no pools");
  return stranded === 0 ? ok : degraded("withdrawals wait for a pool that is not served; the log names it");
}

function chainState(chain: HealthParts["chain"]): Dependency {
  if (chain === "stands still") return down("the chain endpoint shows no new blocks");
  if (chain === "another time") {
    return degraded("its time and this machine's clock are minutes apart: nothing is paid until they agree");
  }
  return chain === "failed" ? degraded("the chain endpoint did not answer as it should") : ok;
}

function walletState(balance: Balance): Dependency {
  if (balance.known === undefined) return degraded("its balance is not known yet");
  const level = balance.levelOf(balance.known);
  if (level === "ok") return ok;
  return degraded(level === "low" ? "it runs low" : "it holds too little to take withdrawals on");
}

/** Some of it is taken away. */
export function degraded(reason: string): Dependency {
  return { state: "degraded", reason };
}

function down(reason: string): Dependency {
  return { state: "down", reason };
}
