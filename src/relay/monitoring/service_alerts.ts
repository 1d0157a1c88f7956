/** Alerts of a relayer that is not ready, of withdrawals that are stuck or orphaned, and of pools that owe storage. */
import type { Job, Store } from "../../store/store.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Health } from "./health.ts";
import type { Leadership } from "../operations/leadership.ts";
import type { OrphanedJobs } from "../operations/orphaned_jobs.ts";

const SERVICE_POLL_MS = 5_000;

/** In milliseconds; 0: no alert. */
export interface ServiceAlertThresholds {
  readonly notReadyMs: number;
  readonly stuckMs: number; // the age at which a live withdrawal counts as stuck
}

export type ServiceAlert =
  | { readonly event: "relayer_not_ready"; readonly seconds: number; readonly reasons: readonly string[] }
  | { readonly event: "relayer_ready" }
  | { readonly event: "jobs_stuck" | "jobs_orphaned"; readonly count: number }
  | { readonly event: "pool_debt" | "pool_storage_low"; readonly pools: readonly string[] }
  | { readonly event: `${"jobs_stuck" | "jobs_orphaned" | "pool_debt" | "pool_storage_low"}_resolved` };

export interface AlertCondition {
  /** Clock milliseconds; undefined if the condition does not hold. */
  readonly since?: number;
  readonly alerted: boolean;
  /** Keys of the pools for which the condition holds. */
  readonly pools?: readonly string[];
}

/** A replica that sends no alerts (`sends` is false) only resets a condition that has ended. */
export function nextAlertCondition(
  { since, alerted }: AlertCondition,
  look: {
    readonly now: number;
    readonly holds: boolean;
    readonly afterMs: number;
    readonly sends: boolean;
  },
): { readonly condition: AlertCondition; readonly due?: "alert" | "recovery" } {
  const { now, holds, afterMs, sends } = look;
  if (!holds) return { condition: { alerted: false }, ...alerted && sends && { due: "recovery" } };
  const began = since ?? now;
  if (alerted || !sends || now - began < afterMs) return { condition: { since: began, alerted } };
  return { condition: { since: began, alerted: true }, due: "alert" };
}

interface ServiceWatchDeps {
  readonly thresholds: ServiceAlertThresholds;
  readonly health: () => Promise<Health>;
  readonly store: Pick<Store, "liveJobs">;
  readonly isServed: (pool: string) => boolean;
  readonly orphanedJobs: Pick<OrphanedJobs, "count">;
  /** Returns the keys of the pools that owe storage. */
  readonly poolsInDebt: () => readonly string[];
  /** Returns the keys of the pools that need more coins for storage than the relayer may add. */
  readonly shortPools: () => readonly string[];
  readonly clock: Clock;
  /** Each replica alerts about its own readiness; only the leader alerts about withdrawals and pools. */
  readonly leadership: Pick<Leadership, "isLeader">;
  readonly log: Log;
  readonly sendAlert: (alert: ServiceAlert) => void; // must not throw
}

export async function watchService(watch: ServiceWatchDeps, signal: AbortSignal): Promise<void> {
  const { clock } = watch;
  const conditions: AlertConditions = { ready: none, stuck: none, orphaned: none, debt: none, low: none };
  while (!signal.aborted) {
    await checkReadiness(watch, conditions);
    await checkJobs(watch, conditions);
    checkPools(watch, conditions, "debt", watch.poolsInDebt());
    checkPools(watch, conditions, "low", watch.shortPools());
    await clock.sleep(SERVICE_POLL_MS, signal);
  }
}

type AlertConditions = Record<"ready" | "stuck" | "orphaned" | "debt" | "low", AlertCondition>;

const none: AlertCondition = { alerted: false };

async function checkReadiness(
  { thresholds: bounds, health, clock, sendAlert: alert }: ServiceWatchDeps,
  conditions: AlertConditions,
): Promise<void> {
  if (bounds.notReadyMs === 0) return;
  const found = await health();
  const now = clock.now();
  const look = { now, holds: !found.ready, afterMs: bounds.notReadyMs, sends: true };
  const { condition, due } = nextAlertCondition(conditions.ready, look);
  conditions.ready = condition;
  if (due === "recovery") alert({ event: "relayer_ready" });
  if (due !== "alert") return;
  const seconds = Math.round((now - condition.since!) / 1000);
  alert({ event: "relayer_not_ready", seconds, reasons: listReasons(found) });
}

function listReasons({ dependencies, pools }: Health): string[] {
  const down = Object.entries(dependencies).filter(([, { state }]) => state === "down");
  const waiting = Object.entries(pools).filter(([, { ready }]) => !ready);
  return [...down, ...waiting].map(([name, part]) =>
    `${name}: ${"reason" in part && part.reason ? part.reason : "not ready"}`
  );
}

async function checkJobs(watch: ServiceWatchDeps, conditions: AlertConditions): Promise<void> {
  const { thresholds: { stuckMs }, store, clock, leadership, orphanedJobs, isServed, log, sendAlert } = watch;
  const now = clock.now();
  const { isLeader: sends } = leadership;
  const countChanged = (name: "stuck" | "orphaned", count: number): void => {
    const look = { now, holds: count > 0, afterMs: 0, sends };
    const { condition, due } = nextAlertCondition(conditions[name], look);
    conditions[name] = condition;
    if (due === "alert" && name === "stuck") log.error("{count} withdrawals are stuck", { count });
    if (due === "alert") sendAlert({ event: `jobs_${name}`, count });
    if (due === "recovery") sendAlert({ event: `jobs_${name}_resolved` });
  };
  let live: readonly Job[] | undefined;
  if (stuckMs > 0 && sends) live = await store.liveJobs().catch(() => undefined); // `readyz` reports the store
  const isStuck = ({ pool, acceptedAt }: Job) => isServed(pool) && now - acceptedAt >= stuckMs;
  if (live !== undefined) countChanged("stuck", live.filter(isStuck).length);
  countChanged("orphaned", orphanedJobs.count);
  if (!sends) conditions.stuck = conditions.orphaned = none; // a new leader alerts again
}

function checkPools(
  { clock, leadership: { isLeader }, sendAlert }: ServiceWatchDeps,
  conditions: AlertConditions,
  name: "debt" | "low",
  pools: readonly string[],
): void {
  const event = name === "debt" ? "pool_debt" : "pool_storage_low";
  const look = { now: clock.now(), holds: pools.length > 0, afterMs: 0, sends: isLeader };
  const known = conditions[name].pools ?? [];
  const isAdded = pools.some((pool) => !known.includes(pool)); // alert again
  const { condition, due } = nextAlertCondition(isAdded ? none : conditions[name], look);
  conditions[name] = isLeader ? { ...condition, pools } : none;
  if (due === "alert") sendAlert({ event, pools });
  if (due === "recovery") sendAlert({ event: `${event}_resolved` });
}

export function buildServiceAlertBody(
  alert: ServiceAlert,
  relayer: { readonly network: string; readonly address: string },
): Record<string, unknown> {
  const { network, address } = relayer;
  const text = `tonado relayer ${address} of ${network}: ${formatAlert(alert)}`;
  return { ...alert, network, relayer: address, text };
}

function formatAlert(alert: ServiceAlert): string {
  switch (alert.event) {
    case "relayer_not_ready":
      return `not ready for ${alert.seconds} s (${alert.reasons.join("; ")})`;
    case "relayer_ready":
      return "ready again";
    case "jobs_stuck":
      return `${alert.count} withdrawals are stuck; see the broadcaster's log lines`;
    case "jobs_stuck_resolved":
      return "no withdrawal is stuck";
    case "pool_debt":
      return `${
        alert.pools.join(", ")
      } cannot pay for storage; run \`tonado pool rescue\` before anything else is sent there`;
    case "pool_debt_resolved":
      return "every pool can pay for its storage";
    case "pool_storage_low":
      return `${
        alert.pools.join(", ")
      } can pay for storage for less than five years, and this relayer may not add ` +
        "what is needed; run `tonado pool rescue`";
    case "pool_storage_low_resolved":
      return "no pool needs more for its storage than this relayer may add";
    case "jobs_orphaned":
      return `${alert.count} withdrawals wait for a pool that is not served; put it back into the registry`;
    case "jobs_orphaned_resolved":
      return "no withdrawal waits for a pool that is not served";
  }
}
