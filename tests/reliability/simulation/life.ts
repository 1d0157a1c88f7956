/**
 * One run of a process. Everything it asks of the outside passes through here: while it is stopped no answer reaches it,
 * and once it is killed none ever does, so it does nothing any more, at whatever point it was.
 */
import type { Clock } from "../../../src/relay/clock.ts";
import type { Timeline } from "./timeline.ts";

/** See the module. */
export class Life {
  #dead = false;
  /** Answers that wait for it to go on; undefined while it runs. */
  #held: (() => void)[] | undefined;

  /** Ends it without a word. */
  kill(): void {
    this.#dead = true;
  }

  get isOver(): boolean {
    return this.#dead;
  }

  get isStopped(): boolean {
    return this.#held !== undefined;
  }

  /** SIGSTOP: the world goes on without it. */
  stop(): void {
    this.#held ??= [];
  }

  /** SIGCONT: it goes on where it was, and knows nothing of the time between. */
  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const deliver of held) deliver();
  }

  /** `outcome`, for as long as somebody is there to take it. */
  guard<T>(outcome: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const deliver = (settle: () => void) => {
        if (this.#dead) return;
        if (this.#held) this.#held.push(settle);
        else settle();
      };
      outcome.then((value) => deliver(() => resolve(value)), (error) => deliver(() => reject(error)));
    });
  }

  clock(time: Timeline): Clock {
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
