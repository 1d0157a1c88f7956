/** Waits that end: by an abort, at a deadline, or when something holds. */
import { Problem } from "../errors/problem.ts";
import { type Clock, monotonicClock, systemClock } from "./clock.ts";

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

interface Deadline {
  readonly clock?: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Creates the error to throw at the deadline. */
  readonly onTimeout: () => Error;
}

/** `ms` in milliseconds. Throws `cancelled` on abort, and the error of `onTimeout` at the deadline. */
export async function withDeadline<T>(
  ms: number,
  { clock = systemClock, signal, onTimeout }: Deadline,
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
