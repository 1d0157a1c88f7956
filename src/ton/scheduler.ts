/**
 * Orders the requests to one endpoint: what is urgent goes first, and no more start than the endpoint allows. It knows
 * nothing of HTTP and never retries; a request that is tried again queues again.
 */
import { Problem } from "../core/errors.ts";

/**
 * Ranks, most urgent first: a payout must not wait behind a cold start's history, nor any of it behind what others ask
 * through the API.
 */
export const ranks = ["send", "seqno", "transactions", "getters", "requests"] as const;

/** What a request is for. */
export type Rank = (typeof ranks)[number];

/** Time, as a parameter. */
export interface Timer {
  /** Milliseconds, from any origin. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when that aborts first. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The runtime's own time. */
export const systemTimer: Timer = {
  now: () => performance.now(),
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        clearTimeout(timeout);
        reject(signal!.reason);
      };
      const timeout = setTimeout(() => {
        signal?.removeEventListener("abort", abort);
        resolve();
      }, ms);
      signal?.addEventListener("abort", abort, { once: true });
    }),
};

/** Of the last rank so many seconds' worth may wait; where nothing is scarce, so many calls. */
const PATIENCE_SECONDS = 10;
const MOST_WAITING = 1_000;

interface Entry {
  start(): void;
}

/** Starts requests by rank, at a bounded rate, a bounded number at once. */
export class RequestScheduler {
  readonly #queues = new Map<Rank, Set<Entry>>(ranks.map((rank) => [rank, new Set()]));
  readonly #interval: number;
  readonly #concurrency: number;
  readonly #mostRequests: number;
  readonly #timer: Timer;
  #running = 0;
  #nextStart = -Infinity;
  #wakeUp: AbortController | undefined;

  /** `requestsPerSecond` may be Infinity. */
  constructor(
    { requestsPerSecond, concurrency = 8, timer = systemTimer }: {
      requestsPerSecond: number;
      concurrency?: number;
      timer?: Timer;
    },
  ) {
    this.#interval = 1000 / requestsPerSecond;
    this.#concurrency = concurrency;
    this.#mostRequests = Math.ceil(Math.min(PATIENCE_SECONDS * requestsPerSecond, MOST_WAITING));
    this.#timer = timer;
  }

  /**
   * Runs `task` when its turn comes.
   *
   * @throws {Problem} `cancelled` when `signal` aborts while it waits; `overloaded` when too many of "requests" do
   */
  async run<T>(rank: Rank, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (rank === "requests" && this.#queues.get(rank)!.size >= this.#mostRequests) {
      throw new Problem("overloaded", "the chain endpoint is asked too much", {
        members: { retryAfter: PATIENCE_SECONDS },
      });
    }
    await this.#turn(rank, signal);
    try {
      return await task();
    } finally {
      this.#running--;
      this.#pump();
    }
  }

  /** Starts nothing for `ms`: the endpoint asked for it. */
  pause(ms: number): void {
    this.#nextStart = Math.max(this.#nextStart, this.#timer.now() + ms);
  }

  #turn(rank: Rank, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(rank)!;
      const abort = () => {
        queue.delete(entry);
        if (this.#next() === undefined) this.#wakeUp?.abort(); // no timer outlives what it was for
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
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#running < this.#concurrency) {
      const queue = this.#next();
      if (!queue) return;
      const delay = this.#nextStart - this.#timer.now();
      if (delay > 0) return this.#pumpAfter(delay);
      const [entry] = queue;
      queue.delete(entry);
      this.#nextStart = this.#timer.now() + this.#interval;
      this.#running++;
      entry.start();
    }
  }

  /** The most urgent queue that is not empty. */
  #next(): Set<Entry> | undefined {
    return [...this.#queues.values()].find((queue) => queue.size > 0);
  }

  #pumpAfter(delay: number): void {
    if (this.#wakeUp) return; // one wake-up at a time; it looks at the queues anew
    this.#wakeUp = new AbortController();
    this.#timer.wait(delay, this.#wakeUp.signal).catch(() => {}).then(() => {
      this.#wakeUp = undefined;
      this.#pump();
    });
  }
}
