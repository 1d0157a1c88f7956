/**
 * Which of the replicas on one store acts: it alone indexes and signs. The lead is a lease that its holder renews; the
 * store refuses every write of the journal by anybody else, so what is known here only saves useless work and is never
 * what keeps two from signing. A store of one process is always led.
 */
import type { Store } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Changes } from "./changes.ts";
import type { Clock } from "./clock.ts";

/**
 * How long a lease lasts, how often it is renewed, and how often others ask for it. With the 3 s after which the
 * database ends a transaction of a process that hangs, another leads within 5 + 1 + 3 s of a leader's last renewal.
 */
const LEASE_MS = 5_000;
const RENEW_MS = 1_500;
const ASK_MS = 1_000;
/** After a database that did not answer. */
const RETRY_MS = 500;
/** A leader stops believing in its lease so much before the database does. */
const MARGIN_MS = 500;
/** Without an answer for so long nobody can be told to lead: a lease that was not renewed has ended by then. */
const UNHELD_MS = 2 * LEASE_MS;

/** What this replica knows of the lead. */
export class Leadership {
  readonly #clock: Clock;
  readonly #known = Promise.withResolvers<void>();
  readonly #always: boolean;
  #until = -Infinity;
  #answeredAt: number;

  /** @param always nobody else can lead: the store is not shared */
  constructor(clock: Clock, always: boolean) {
    this.#clock = clock;
    this.#always = always;
    this.#answeredAt = clock.now();
    if (always) this.until = Infinity;
  }

  /** Resolves when the lead was asked for once: before, nobody knows what to do. */
  get known(): Promise<void> {
    return this.#known.promise;
  }

  /** Whether this replica leads, as far as it knows. */
  get leads(): boolean {
    return this.#clock.now() < this.#until;
  }

  /**
   * Whether somebody leads, as far as can be told: a store that was asked lately has given the lead to this replica, or
   * refused it because another renews it. undefined: nobody else can lead.
   */
  get held(): boolean | undefined {
    return this.#always ? undefined : this.#clock.now() - this.#answeredAt <= UNHELD_MS;
  }

  /** The store has answered who leads. */
  answered(): void {
    this.#answeredAt = this.#clock.now();
  }

  /** Leads until then (unix milliseconds) at least. */
  set until(time: number) {
    this.#until = time;
    this.#known.resolve();
  }
}

/** What leading needs. */
export interface LeadershipDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Told of every change of hands. */
  readonly changes: Changes;
  readonly log: Log;
}

/** Takes the lead of a shared store whenever nobody has it, and keeps it, until `signal` aborts. */
export async function runLeadership(
  leadership: Leadership,
  { store, clock, changes, log }: LeadershipDeps,
  signal: AbortSignal,
): Promise<void> {
  let led = false;
  while (!signal.aborted && store.shared) {
    const asked = clock.now();
    let wait = RETRY_MS;
    try {
      const leads = await store.lead(LEASE_MS);
      leadership.answered();
      leadership.until = leads ? asked + LEASE_MS - MARGIN_MS : -Infinity;
      wait = leads ? RENEW_MS : ASK_MS;
    } catch (error) {
      log.warning("the lead cannot be asked for: {error}", { error: String(error) });
    }
    if (leadership.leads !== led) {
      led = leadership.leads;
      log.info(led ? "this replica leads" : "this replica follows");
      changes.notify();
    }
    await clock.sleep(wait, signal);
  }
  if (signal.aborted) leadership.until = -Infinity; // whoever still waits for the first answer ends too
}
