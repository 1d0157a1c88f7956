/**
 * Tells whoever waits inside this process that the store has changed. It carries no data: who wakes reads the store,
 * so a needless call costs a look and never a wrong answer.
 */
import type { Clock } from "./clock.ts";

/** A condition that can be waited for. */
export class Changes {
  #count = 0;
  readonly #waiting = new Set<() => void>();

  /** How many changes there were: to miss none, read it before looking at the store and {@link waitBeyond} it after. */
  get count(): number {
    return this.#count;
  }

  /** Wakes everyone who waits now. */
  notify(): void {
    this.#count++;
    for (const wake of this.#waiting) wake();
  }

  /** Resolves when there were more than `seen` changes, after `ms`, or when `signal` aborts, whichever is first. */
  async waitBeyond(seen: number, ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
    if (this.#count > seen || signal.aborted) return;
    const woken = new AbortController();
    const wake = () => woken.abort();
    this.#waiting.add(wake);
    signal.addEventListener("abort", wake, { once: true });
    await clock.sleep(ms, woken.signal);
    this.#waiting.delete(wake);
    signal.removeEventListener("abort", wake);
  }
}
