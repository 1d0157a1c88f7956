/**
 * Tells whoever waits inside this process that the store has changed. It carries no data: who wakes reads the store,
 * so a missed or a needless call costs a look and never a wrong answer.
 */
import type { Clock } from "./clock.ts";

/** A condition that can be waited for. */
export class Changes {
  #next = Promise.withResolvers<void>();

  /** Wakes everyone who waits now. */
  notify(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  }

  /**
   * Resolves at the next {@link notify}. To miss none, ask for it before looking at the store, and {@link waitFor} it
   * after.
   */
  next(): Promise<void> {
    return this.#next.promise;
  }
}

/** Resolves with `change`, after `ms`, or when `signal` aborts, whichever is first. */
export async function waitFor(
  change: Promise<void>,
  ms: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const given = new AbortController();
  await Promise.race([change, clock.sleep(ms, AbortSignal.any([signal, given.signal]))]);
  given.abort();
}
