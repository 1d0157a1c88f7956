/**
 * A wake-up signal within this process for store changes. It carries no data: a woken reader reads the store, so a
 * spurious wake-up is harmless.
 */
import { type Clock } from "../core/time.ts";

export class ChangeSignal {
  #count = 0;
  readonly #waiters = new Set<() => void>();

  /**
   * Number of changes so far. To miss none, read it before the store and pass it to {@link waitForChange} afterwards.
   */
  get count(): number {
    return this.#count;
  }

  notify(): void {
    this.#count++;
    for (const wake of this.#waiters) wake();
  }

  /** Resolves when there were more than `seen` changes, after `ms`, or when `signal` aborts, whichever is first. */
  async waitForChange(seen: number, ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
    if (this.#count > seen || signal.aborted) return;
    const woken = new AbortController();
    const wake = () => woken.abort();
    this.#waiters.add(wake);
    signal.addEventListener("abort", wake, { once: true });
    await clock.sleep(ms, woken.signal);
    this.#waiters.delete(wake);
    signal.removeEventListener("abort", wake);
  }
}
