/**
 * A simulated process. All answers from outside pass through it: none arrives while it is paused or after it
 * was killed, so a killed process stops at any point.
 */
import type { Clock } from "../../src/core/time/clock.ts";
import type { VirtualTime } from "./virtual_time.ts";

export class SimulatedProcess {
  #dead = false;
  /** Answers that wait for the process to resume; undefined while it runs. */
  #pending: (() => void)[] | undefined;

  /** Kills the process without a trace. */
  kill(): void {
    this.#dead = true;
  }

  get isKilled(): boolean {
    return this.#dead;
  }

  get isPaused(): boolean {
    return this.#pending !== undefined;
  }

  /** Pauses the process, like SIGSTOP: the world continues without it. */
  pause(): void {
    this.#pending ??= [];
  }

  /** Resumes the process, like SIGCONT: it does not notice the time that has passed. */
  resume(): void {
    const pending = this.#pending ?? [];
    this.#pending = undefined;
    for (const deliver of pending) deliver();
  }

  /** Passes `outcome` on while the process can receive it. */
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
