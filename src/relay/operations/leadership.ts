/** Tracks whether this replica leads. It only saves work: the store rejects journal writes of other replicas. */
import type { Store } from "../../store/store.ts";
import type { Log } from "../../telemetry/log.ts";
import type { ChangeSignal } from "../change_signal.ts";
import type { Clock } from "../../core/time/clock.ts";

/** The database ends a hung process's transaction after 3 s, so failover takes at most 5 + 1 + 3 s. */
const LEASE_DURATION_MS = 5_000;
const LEASE_RENEW_INTERVAL_MS = 1_500;
const LEASE_ACQUIRE_INTERVAL_MS = 1_000;
const LEASE_RETRY_DELAY_MS = 500;
/** A leader considers its lease expired this much before the database does. */
const LEASE_SAFETY_MARGIN_MS = 500;
const LEADER_UNKNOWN_AFTER_MS = 2 * LEASE_DURATION_MS;

export class Leadership {
  readonly #firstAnswer = Promise.withResolvers<void>();
  readonly #isSingleProcess: boolean;
  #leaseEndsAt = -Infinity;
  #term = 0;
  #answeredAt: number;

  /** `isSingleProcess`: the store is not shared, so this process always leads. */
  constructor(private readonly clock: Clock, isSingleProcess: boolean) {
    this.#isSingleProcess = isSingleProcess;
    this.#answeredAt = clock.now();
    if (isSingleProcess) this.setLeaseEnd(Infinity);
  }

  /** Resolves once it is known whether this replica leads. */
  get firstAnswer(): Promise<void> {
    return this.#firstAnswer.promise;
  }

  get isLeader(): boolean {
    return this.clock.now() < this.#leaseEndsAt;
  }

  /** Number of times that this replica began to lead. Between two terms, another replica may have led. */
  get term(): number {
    return this.#term;
  }

  /** Whether the store has granted or refused the lease in the last ten seconds; undefined for a single process. */
  get isLeaseKnown(): boolean | undefined {
    return this.#isSingleProcess ? undefined : this.clock.now() - this.#answeredAt <= LEADER_UNKNOWN_AFTER_MS;
  }

  recordAnswer(): void {
    this.#answeredAt = this.clock.now();
  }

  /** Sets the time until which this replica certainly leads, in Unix milliseconds. */
  setLeaseEnd(time: number): void {
    if (!this.isLeader && time > this.clock.now()) this.#term++;
    this.#leaseEndsAt = time;
    this.#firstAnswer.resolve();
  }
}

interface LeadershipDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly changes: ChangeSignal;
  readonly log: Log;
}

export async function runLeadership(
  leadership: Leadership,
  { store, clock, changes, log }: LeadershipDeps,
  signal: AbortSignal,
): Promise<void> {
  let wasLeader = false;
  while (!signal.aborted && store.isShared) {
    const requestedAt = clock.now();
    let wait = LEASE_RETRY_DELAY_MS;
    try {
      const leads = await store.acquireLease(LEASE_DURATION_MS);
      leadership.recordAnswer();
      leadership.setLeaseEnd(leads ? requestedAt + LEASE_DURATION_MS - LEASE_SAFETY_MARGIN_MS : -Infinity);
      wait = leads ? LEASE_RENEW_INTERVAL_MS : LEASE_ACQUIRE_INTERVAL_MS;
    } catch (error) {
      log.warning("the lease cannot be acquired: {error}", { error: String(error) });
    }
    if (leadership.isLeader !== wasLeader) {
      wasLeader = leadership.isLeader;
      log.info(wasLeader ? "this replica leads" : "this replica follows");
      changes.notify();
    }
    await clock.sleep(wait, signal);
  }
  if (signal.aborted) leadership.setLeaseEnd(-Infinity); // also ends waits for the first answer
}
