/** Yields to the event loop, so that long work on this thread does not delay other tasks. */

const MAX_SLICE_MS = 5;

export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

export class TimeSlice {
  #startedAt = performance.now();

  async yieldIfExpired(): Promise<void> {
    if (performance.now() - this.#startedAt < MAX_SLICE_MS) return;
    await yieldToEventLoop();
    this.#startedAt = performance.now();
  }
}
