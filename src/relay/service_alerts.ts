/**
 * Alerts about the service itself: the relayer is not ready, withdrawals are stuck, withdrawals are orphaned because
 * their pool is not served. It decides only when to alert; delivery is the webhook's.
 */
import type { Job, Store } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Clock } from "./clock.ts";
import type { Health } from "./health.ts";
import type { Leadership } from "./leadership.ts";
import type { Stranded } from "./stranded.ts";

const LOOK_MS = 5_000;

/** When to alert, in milliseconds; 0: never. */
export interface ServiceAlertBounds {
  /** How long `GET /readyz` fails before an alert. */
  readonly notReadyMs: number;
  /** The age at which a withdrawal that has not ended counts as stuck. */
  readonly stuckMs: number;
}

/** An alert: something lasts for too long, or is over. */
export type ServiceAlert =
  | { readonly event: "relayer_not_ready"; readonly seconds: number; readonly reasons: readonly string[] }
  | { readonly event: "relayer_ready" }
  | { readonly event: "jobs_stuck" | "jobs_orphaned"; readonly count: number }
  | { readonly event: "jobs_stuck_resolved" | "jobs_orphaned_resolved" };

/** How long a condition has held, and whether an alert about it was sent. */
export interface Condition {
  /** Milliseconds of the clock; undefined: it does not hold. */
  readonly since?: number;
  readonly alerted: boolean;
}

/**
 * The condition after a look at it, and the alert that is due.
 *
 * @param look.afterMs how long it must hold before an alert
 * @param look.sends whether this replica sends alerts about it; one that does not forgets a condition that is over
 */
export function nextCondition(
  { since, alerted }: Condition,
  look: {
    readonly now: number;
    readonly holds: boolean;
    readonly afterMs: number;
    readonly sends: boolean;
  },
): { readonly condition: Condition; readonly due?: "alert" | "recovery" } {
  const { now, holds, afterMs, sends } = look;
  if (!holds) return { condition: { alerted: false }, ...alerted && sends && { due: "recovery" } };
  const began = since ?? now;
  if (alerted || !sends || now - began < afterMs) return { condition: { since: began, alerted } };
  return { condition: { since: began, alerted: true }, due: "alert" };
}

/** What watching needs. */
export interface ServiceWatch {
  readonly bounds: ServiceAlertBounds;
  readonly health: () => Promise<Health>;
  readonly store: Pick<Store, "liveJobs">;
  /** Whether a pool is served, by raw address. */
  readonly isServed: (pool: string) => boolean;
  readonly stranded: Pick<Stranded, "count">;
  readonly clock: Clock;
  /** Each replica alerts about its own readiness; only the leader about withdrawals. */
  readonly leadership: Pick<Leadership, "leads">;
  readonly log: Log;
  /** Must not throw. */
  readonly alert: (alert: ServiceAlert) => void;
}

/** Watches until `signal` aborts. */
export async function watchService(watch: ServiceWatch, signal: AbortSignal): Promise<void> {
  const { clock } = watch;
  const conditions = { ready: { alerted: false }, stuck: { alerted: false }, orphaned: { alerted: false } };
  while (!signal.aborted) {
    await lookAtReadiness(watch, conditions);
    await lookAtJobs(watch, conditions);
    await clock.sleep(LOOK_MS, signal);
  }
}

/** Conditions by name; each look replaces one. */
type Conditions = Record<"ready" | "stuck" | "orphaned", Condition>;

async function lookAtReadiness(
  { bounds, health, clock, alert }: ServiceWatch,
  conditions: Conditions,
): Promise<void> {
  if (bounds.notReadyMs === 0) return;
  const found = await health();
  const now = clock.now();
  const look = { now, holds: !found.ready, afterMs: bounds.notReadyMs, sends: true };
  const { condition, due } = nextCondition(conditions.ready, look);
  conditions.ready = condition;
  if (due === "recovery") alert({ event: "relayer_ready" });
  if (due !== "alert") return;
  const seconds = Math.round((now - condition.since!) / 1000);
  alert({ event: "relayer_not_ready", seconds, reasons: reasonsOf(found) });
}

/** Why `GET /readyz` fails, as it says so itself. */
function reasonsOf({ dependencies, pools }: Health): string[] {
  const down = Object.entries(dependencies).filter(([, { state }]) => state === "down");
  const waiting = Object.entries(pools).filter(([, { ready }]) => !ready);
  return [...down, ...waiting].map(([name, part]) =>
    `${name}: ${"reason" in part && part.reason ? part.reason : "not ready"}`
  );
}

async function lookAtJobs(watch: ServiceWatch, conditions: Conditions): Promise<void> {
  const { bounds, store, clock, leadership, stranded, isServed, log, alert } = watch;
  const now = clock.now();
  const { leads: sends } = leadership;
  let live: readonly Job[] | undefined;
  if (bounds.stuckMs > 0 && sends) live = await store.liveJobs().catch(() => undefined); // `readyz` reports the store
  if (live !== undefined) {
    const isStuck = ({ pool, acceptedAt }: Job) => isServed(pool) && now - acceptedAt >= bounds.stuckMs;
    const count = live.filter(isStuck).length;
    const { condition, due } = nextCondition(conditions.stuck, { now, holds: count > 0, afterMs: 0, sends });
    conditions.stuck = condition;
    if (due === "alert") {
      log.error("{count} withdrawals are stuck", { count });
      alert({ event: "jobs_stuck", count });
    }
    if (due === "recovery") alert({ event: "jobs_stuck_resolved" });
  }
  if (!sends) conditions.stuck = { alerted: false }; // after a change of hands the leader alerts once more
  const { count } = stranded;
  const { condition, due } = nextCondition(conditions.orphaned, { now, holds: count > 0, afterMs: 0, sends });
  conditions.orphaned = sends ? condition : { alerted: false };
  if (due === "alert") alert({ event: "jobs_orphaned", count });
  if (due === "recovery") alert({ event: "jobs_orphaned_resolved" });
}

/** An alert as it is posted: its members, and a line of text for chats. */
export function serviceAlertDocument(
  alert: ServiceAlert,
  relayer: { readonly network: string; readonly address: string },
): Record<string, unknown> {
  const { network, address } = relayer;
  const text = `tonado relayer ${address} of ${network}: ${textOf(alert)}`;
  return { ...alert, network, relayer: address, text };
}

function textOf(alert: ServiceAlert): string {
  switch (alert.event) {
    case "relayer_not_ready":
      return `not ready for ${alert.seconds} s (${alert.reasons.join("; ")})`;
    case "relayer_ready":
      return "ready again";
    case "jobs_stuck":
      return `${alert.count} withdrawals are stuck; see the broadcaster's log lines`;
    case "jobs_stuck_resolved":
      return "no withdrawal is stuck";
    case "jobs_orphaned":
      return `${alert.count} withdrawals wait for a pool that is not served; put it back into the registry`;
    case "jobs_orphaned_resolved":
      return "no withdrawal waits for a pool that is not served";
  }
}
