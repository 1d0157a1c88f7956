/**
 * Virtual time. Events happen one after another, and all work that an event triggers in the program ends
 * before the next event, so a run depends only on the seed. Events at the same time happen in random order.
 */
import { setImmediate } from "node:timers/promises";
import type { SeededRandom } from "../random/seeded_random.ts";

interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** The clock and event queue of a simulated world. */
export class VirtualTime {
  readonly #random: SeededRandom;
  readonly #heap: Event[] = [];
  #now: number;
  /** The number of past events. */
  count = 0;

  constructor(random: SeededRandom, start: number) {
    this.#random = random;
    this.#now = start;
  }

  /** Returns Unix milliseconds. */
  now(): number {
    return this.#now;
  }

  /** Schedules `run` in `ms` milliseconds. */
  after(ms: number, run: () => void): void {
    const order = this.#random.int(0, 0x3fffffff);
    this.#push({ at: this.#now + Math.max(0, Math.ceil(ms)), order, run });
  }

  /** Resolves in `ms` milliseconds. */
  delay(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Advances time until `over` returns true or until `end`. Returns whether `over` did. */
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
      await setImmediate(); // all promises that this event can settle have settled
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
