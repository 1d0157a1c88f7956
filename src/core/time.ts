/** The clock that waits use, so that tests can replace it. source_rules_test.ts lists the other timers. */
import { Problem, type ProblemCode } from "./errors/problem.ts";

export interface Clock {
  now(): number;
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener("abort", end, { once: true });
    }),
};

/** Counts from an arbitrary origin and never goes back. */
export const monotonicClock: Clock = { now: () => performance.now(), sleep: systemClock.sleep };

export function cancelled(signal?: AbortSignal): Problem {
  return new Problem("cancelled", undefined, { cause: signal?.reason });
}

export async function delay(ms: number, signal?: AbortSignal, clock: Clock = systemClock): Promise<void> {
  await clock.sleep(ms, signal);
  if (signal?.aborted) throw cancelled(signal);
}

/** Returns the result of `work`, or throws `cancelled` when `signal` aborts; `work` itself continues. */
export async function abortable<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return await work;
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(cancelled(signal));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
    work.catch(() => {}); // avoid an unhandled rejection after an abort
  }
}

interface Deadline {
  readonly clock?: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Creates the error to throw at the deadline. Default: `chain_unavailable`, "no response in time". */
  readonly onTimeout?: () => Error;
}

/** Runs all at once. The first failure is thrown, and cancels the others. */
export async function runAllOrCancel<T, R>(
  items: readonly T[],
  run: (item: T, signal: AbortSignal) => Promise<R>,
  signal?: AbortSignal,
): Promise<R[]> {
  const failed = new AbortController();
  const either = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  try {
    return await Promise.all(items.map((item) => run(item, either)));
  } catch (error) {
    failed.abort();
    throw error;
  }
}

/** `ms` in milliseconds. Throws `cancelled` on abort, and the error of `onTimeout` at the deadline. */
export async function withDeadline<T>(
  ms: number,
  { clock = systemClock, signal, onTimeout = noAnswerInTime }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const abort = () => end.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  const expired = clock.sleep(ms, end.signal).then(() => {
    throw signal?.aborted ? cancelled(signal) : onTimeout();
  });
  try {
    return await Promise.race([work(end.signal), expired]);
  } finally {
    signal?.removeEventListener("abort", abort);
    end.abort();
    expired.catch(() => {}); // the sleep ends with the work
  }
}

function noAnswerInTime(): Problem {
  return new Problem("chain_unavailable" satisfies ProblemCode, "no response in time");
}

interface Backoff {
  readonly initialMs: number;
  readonly maxMs: number;
  /** Returns a number in [0, 1). If given, the wait varies between half and all of its value. */
  readonly random?: () => number;
}

/** Returns the wait in milliseconds after `failures` (1 or more): doubled each time, up to `maxMs`. */
export function backoffMs(failures: number, { initialMs, maxMs, random }: Backoff): number {
  const ms = Math.min(maxMs, initialMs * 2 ** (failures - 1));
  return random === undefined ? ms : ms * (0.5 + random() / 2);
}

/** Times are in milliseconds. */
export interface Polling {
  readonly signal?: AbortSignal | undefined;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly onWait?: ((waited: { elapsed: number; timeout: number }) => void) | undefined;
  readonly clock?: Clock;
}

export async function pollUntil(holds: () => Promise<boolean> | boolean, options: Polling): Promise<boolean> {
  const { signal, intervalMs, timeoutMs, onWait, clock = monotonicClock } = options;
  const startedAt = clock.now();
  while (!await holds()) {
    const elapsed = clock.now() - startedAt;
    if (elapsed > timeoutMs) return false;
    onWait?.({ elapsed, timeout: timeoutMs });
    await delay(intervalMs, signal, clock);
  }
  return true;
}

/** Returns a function that makes the value in its first call. A failed call is repeated by the next. */
export function memoizeAsync<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
}

export class SingleFlight<T> {
  readonly #running = new Map<string, Promise<T>>();

  get size(): number {
    return this.#running.size;
  }

  run(key: string, work: () => Promise<T>): { readonly result: Promise<T>; readonly joined: boolean } {
    const running = this.#running.get(key);
    if (running !== undefined) return { result: running, joined: true };
    const result = work();
    this.#running.set(key, result);
    const forget = () => void this.#running.delete(key);
    result.then(forget, forget);
    return { result, joined: false };
  }
}

interface CacheEntry<T> {
  readonly value: Promise<T>;
  /** Unix milliseconds; Infinity while the value is being fetched. */
  expiresAt: number;
}

/** A cache whose entries expire. Concurrent requests for one key share one fetch. Failures are not cached. */
export class TtlCache<T> {
  readonly #ttlMs: number;
  readonly #maxEntries: number;
  readonly #entries = new Map<string, CacheEntry<T>>();

  /** @param options `ttlMs`: milliseconds from the value's arrival; `maxEntries`: default 1 */
  constructor(
    private readonly clock: Clock,
    { ttlMs, maxEntries = 1 }: { readonly ttlMs: number; readonly maxEntries?: number },
  ) {
    this.#ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
  }

  get(key: string, fetch: () => Promise<T>): Promise<T> {
    const cached = this.#entries.get(key);
    if (cached !== undefined && this.clock.now() <= cached.expiresAt) return cached.value;
    const entry: CacheEntry<T> = { value: fetch(), expiresAt: Infinity };
    this.#entries.delete(key); // reinsert, so that it is the newest entry
    this.#entries.set(key, entry);
    if (this.#entries.size > this.#maxEntries) this.#entries.delete(this.#entries.keys().next().value!);
    entry.value.then(
      () => entry.expiresAt = this.clock.now() + this.#ttlMs,
      () => this.#entries.get(key) === entry && this.#entries.delete(key),
    );
    return entry.value;
  }
}
