/** Answers that are kept for a while: each is asked for once, however many want it at once and shortly after. */
import type { Clock } from "./clock.ts";

interface Kept<T> {
  readonly answer: Promise<T>;
  /** Unix milliseconds; Infinity while it is under way. */
  until: number;
}

/** Answers by key. One that fails is not kept. */
export class Fresh<T> {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #most: number;
  readonly #kept = new Map<string, Kept<T>>();

  /** @param options.ms how long after its arrival an answer is as good as a new one. @param options.most answers at once */
  constructor(clock: Clock, { ms, most = 1 }: { readonly ms: number; readonly most?: number }) {
    this.#clock = clock;
    this.#ms = ms;
    this.#most = most;
  }

  /** The answer of this name, as it was asked for last, or as `ask` gets it now. */
  get(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key);
    if (known !== undefined && this.#clock.now() <= known.until) return known.answer;
    const entry: Kept<T> = { answer: ask(), until: Infinity };
    this.#kept.delete(key); // what is asked for anew is the newest again
    this.#kept.set(key, entry);
    if (this.#kept.size > this.#most) this.#kept.delete(this.#kept.keys().next().value!);
    entry.answer.then(
      () => entry.until = this.#clock.now() + this.#ms,
      () => this.#kept.get(key) === entry && this.#kept.delete(key),
    );
    return entry.answer;
  }
}
