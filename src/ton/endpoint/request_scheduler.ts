import { Problem } from "../../core/errors/problem.ts";
import { type Clock, monotonicClock } from "../../core/time/clock.ts";

/** Highest first: a payout must not wait for a history scan, and neither may wait for API requests. */
const requestPriorities = ["send", "seqno", "transactions", "getters", "requests"] as const;

export type RequestPriority = (typeof requestPriorities)[number];

const MAX_QUEUE_SECONDS = 10;
const MAX_QUEUED_REQUESTS = 1_000;

interface QueuedRequest {
  start(): void;
}

export class RequestScheduler {
  readonly #queues = new Map<RequestPriority, Set<QueuedRequest>>(
    requestPriorities.map((priority) => [priority, new Set()]),
  );
  readonly #interval: number;
  readonly #concurrency: number;
  readonly #maxQueued: number;
  readonly #clock: Clock;
  #running = 0;
  #nextStart = -Infinity;
  #wakeUp: AbortController | undefined;

  constructor(
    { requestsPerSecond, concurrency = 8, clock = monotonicClock }: {
      requestsPerSecond: number;
      concurrency?: number;
      clock?: Clock;
    },
  ) {
    this.#interval = 1000 / requestsPerSecond;
    this.#concurrency = concurrency;
    this.#maxQueued = Math.ceil(Math.min(MAX_QUEUE_SECONDS * requestsPerSecond, MAX_QUEUED_REQUESTS));
    this.#clock = clock;
  }

  /** Runs `task` in its turn. Throws `cancelled` on abort, `overloaded` if too many API requests wait. */
  async run<T>(priority: RequestPriority, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (priority === "requests" && this.#queues.get(priority)!.size >= this.#maxQueued) {
      throw new Problem("overloaded", "too many requests wait for the chain endpoint", {
        members: { retryAfter: MAX_QUEUE_SECONDS },
      });
    }
    await this.#waitForSlot(priority, signal);
    try {
      return await task();
    } finally {
      this.#running--;
      this.#startQueued();
    }
  }

  pause(ms: number): void {
    this.#nextStart = Math.max(this.#nextStart, this.#clock.now() + ms);
  }

  #waitForSlot(priority: RequestPriority, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(priority)!;
      const abort = () => {
        queue.delete(entry);
        if (this.#nextQueue() === undefined) this.#wakeUp?.abort(); // nothing is left to start
        reject(new Problem("cancelled", undefined, { cause: signal?.reason }));
      };
      const entry = {
        start() {
          signal?.removeEventListener("abort", abort);
          resolve();
        },
      };
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true });
      queue.add(entry);
      this.#startQueued();
    });
  }

  #startQueued(): void {
    while (this.#running < this.#concurrency) {
      const queue = this.#nextQueue();
      if (!queue) return;
      const delay = this.#nextStart - this.#clock.now();
      if (delay > 0) return this.#scheduleStart(delay);
      const [entry] = queue;
      queue.delete(entry);
      this.#nextStart = this.#clock.now() + this.#interval;
      this.#running++;
      entry.start();
    }
  }

  #nextQueue(): Set<QueuedRequest> | undefined {
    return [...this.#queues.values()].find((queue) => queue.size > 0);
  }

  #scheduleStart(delay: number): void {
    if (this.#wakeUp) return; // one timer is enough: it starts whatever is due
    this.#wakeUp = new AbortController();
    this.#clock.sleep(delay, this.#wakeUp.signal).then(() => {
      this.#wakeUp = undefined;
      this.#startQueued();
    });
  }
}
