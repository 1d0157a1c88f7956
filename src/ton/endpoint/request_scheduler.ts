/**
 * Orders the requests to one endpoint by priority and limits their rate. It knows nothing of HTTP and never retries; a
 * request that is retried queues again.
 */
import { Problem } from "../../core/errors/problem.ts";
import { type Clock, monotonicClock } from "../../core/time.ts";

/**
 * Priorities, highest first: a payout must not wait for the history that a cold start reads, and neither may wait for
 * API requests.
 */
export const requestPriorities = ["send", "seqno", "transactions", "getters", "requests"] as const;

/** What a request is for. */
export type RequestPriority = (typeof requestPriorities)[number];

/** Limits of the queue of the lowest priority: seconds of requests, and requests. */
const MAX_QUEUE_SECONDS = 10;
const MAX_QUEUED_REQUESTS = 1_000;

interface QueuedRequest {
  start(): void;
}

/** Starts requests by rank, at a bounded rate, a bounded number at once. */
export class RequestScheduler {
  readonly #queues = new Map<RequestPriority, Set<QueuedRequest>>(
    requestPriorities.map((rank) => [rank, new Set()]),
  );
  readonly #interval: number;
  readonly #concurrency: number;
  readonly #maxQueued: number;
  readonly #clock: Clock;
  #running = 0;
  #nextStart = -Infinity;
  #wakeUp: AbortController | undefined;

  /** `requestsPerSecond` may be Infinity. */
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

  /**
   * Runs `task` when its turn comes.
   *
   * @throws {Problem} `cancelled` when `signal` aborts while it waits; `overloaded` when too many of "requests" do
   */
  async run<T>(rank: RequestPriority, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (rank === "requests" && this.#queues.get(rank)!.size >= this.#maxQueued) {
      throw new Problem("overloaded", "the chain endpoint is asked too much", {
        members: { retryAfter: MAX_QUEUE_SECONDS },
      });
    }
    await this.#waitForSlot(rank, signal);
    try {
      return await task();
    } finally {
      this.#running--;
      this.#startQueued();
    }
  }

  /** Starts nothing for `ms`: the endpoint asked for it. */
  pause(ms: number): void {
    this.#nextStart = Math.max(this.#nextStart, this.#clock.now() + ms);
  }

  #waitForSlot(rank: RequestPriority, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(rank)!;
      const abort = () => {
        queue.delete(entry);
        if (this.#nextQueue() === undefined) this.#wakeUp?.abort(); // no timer outlives what it was for
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

  /** The most urgent queue that is not empty. */
  #nextQueue(): Set<QueuedRequest> | undefined {
    return [...this.#queues.values()].find((queue) => queue.size > 0);
  }

  #scheduleStart(delay: number): void {
    if (this.#wakeUp) return; // one wake-up at a time; it looks at the queues anew
    this.#wakeUp = new AbortController();
    this.#clock.sleep(delay, this.#wakeUp.signal).then(() => {
      this.#wakeUp = undefined;
      this.#startQueued();
    });
  }
}
