/**
 * A run of a process. All answers from outside pass through here: none arrives while it is paused, and none after it
 * was killed, so a killed process stops wherever it was.
 */
import { type Clock } from "../../src/core/time.ts";
import type { VirtualTime } from "./virtual_time.ts";

export class SimulatedProcess {
  #dead = false;
  /** Answers that wait for it to resume; undefined while it runs. */
  #pending: (() => void)[] | undefined;

  /** Kills it without a trace. */
  kill(): void {
    this.#dead = true;
  }

  get isKilled(): boolean {
    return this.#dead;
  }

  get isPaused(): boolean {
    return this.#pending !== undefined;
  }

  /** SIGSTOP: the world continues without it. */
  pause(): void {
    this.#pending ??= [];
  }

  /** SIGCONT: it continues, unaware of the time that has passed. */
  resume(): void {
    const pending = this.#pending ?? [];
    this.#pending = undefined;
    for (const deliver of pending) deliver();
  }

  /** Returns `outcome`, as long as the process is there to receive it. */
  guard<T>(outcome: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const deliver = (settle: () => void) => {
        if (this.#dead) return;
        if (this.#pending) this.#pending.push(settle);
        else settle();
      };
      outcome.then((value) => deliver(() => resolve(value)), (error) => deliver(() => reject(error)));
    });
  }

  clock(time: VirtualTime): Clock {
    return {
      now: () => time.now(),
      sleep: (ms, signal) =>
        this.guard(
          new Promise((resolve) => {
            if (signal?.aborted) return resolve();
            const end = () => {
              signal?.removeEventListener("abort", end);
              resolve();
            };
            signal?.addEventListener("abort", end, { once: true });
            time.after(ms, end);
          }),
        ),
    };
  }
}
