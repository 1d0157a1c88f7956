/** A bound on how long one answer is waited for, on the clock that is put in. */
import { Problem } from "../core/errors.ts";
import type { Clock } from "./clock.ts";

/**
 * What `work` comes to, if it does within `ms` milliseconds; its own signal aborts then, and it is not waited for.
 *
 * @throws {Problem} `chain_unavailable` when time is up, `cancelled` when `signal` aborts; and what `work` throws
 */
export async function within<T>(
  ms: number,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const end = () => over.abort();
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  const tooLate = clock.sleep(ms, over.signal).then(() => {
    throw signal.aborted ? new Problem("cancelled") : new Problem("chain_unavailable", "no answer in time");
  });
  try {
    return await Promise.race([work(over.signal), tooLate]);
  } finally {
    signal.removeEventListener("abort", end);
    end();
    tooLate.catch(() => {}); // the sleep ends with the work
  }
}
