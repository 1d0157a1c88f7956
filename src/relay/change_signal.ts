/** Wakes up readers of the store after a change. Spurious wake-ups are harmless. */
import type { Clock } from "../core/time/clock.ts";

export class ChangeSignal {
  #count = 0;
  readonly #waiters = new Set<() => void>();

  /** Changes so far. Read it before the store, then pass it to {@linkcode waitForChange} to miss none. */
  get count(): number {
    return this.#count;
  }

  notify(): void {
    this.#count++;
    for (const wake of this.#waiters) wake();
  }

  /** Resolves after more than `seen` changes, after `ms`, or on abort. */
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
