/**
 * Virtual time. What is due happens one thing after the other, and whatever an event sets off inside the program is over
 * before the next one: so a run depends on the seed alone. Things due at the same moment happen in random order.
 */
import { setImmediate } from "node:timers/promises";
import type { Random } from "./random.ts";

interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** The clock and the queue of a simulated world. */
export class Timeline {
  readonly #random: Random;
  readonly #heap: Event[] = [];
  #now: number;
  /** Events that have happened. */
  count = 0;

  constructor(random: Random, start: number) {
    this.#random = random;
    this.#now = start;
  }

  /** Unix milliseconds. */
  now(): number {
    return this.#now;
  }

  /** Lets `run` happen in `ms` milliseconds. */
  after(ms: number, run: () => void): void {
    const order = this.#random.int(0, 0x3fffffff);
    this.#push({ at: this.#now + Math.max(0, Math.ceil(ms)), order, run });
  }

  /** Resolves in `ms` milliseconds. */
  delay(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Lets time pass until `over`, or until `end`; says which. */
  async run(over: () => boolean, end: number): Promise<boolean> {
    await setImmediate();
    while (!over()) {
      const event = this.#pop();
      if (!event || event.at > end) {
        if (event) this.#push(event);
        this.#now = Math.max(this.#now, end);
        return false;
      }
      this.#now = event.at;
      this.count++;
      event.run();
      await setImmediate(); // every promise that this could settle has settled
    }
    return true;
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let i = heap.push(event) - 1;
    for (let parent = (i - 1) >> 1; i > 0 && before(event, heap[parent]); parent = (i - 1) >> 1) {
      heap[i] = heap[parent];
      heap[i = parent] = event;
    }
  }

  #pop(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let i = 0;
    for (let child = 1; child < heap.length; child = 2 * i + 1) {
      if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child++;
      if (!before(heap[child], last)) break;
      heap[i] = heap[child];
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

function before(a: Event, b: Event): boolean {
  return a.at < b.at || a.at === b.at && a.order < b.order;
}
