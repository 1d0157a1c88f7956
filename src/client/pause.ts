/** Waiting that ends at once when it is cancelled. */
import { Problem } from "../core/errors.ts";

/** Resolves after `ms`. @throws {Problem} `cancelled` */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new Problem("cancelled"));
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      signal?.aborted ? reject(new Problem("cancelled")) : resolve();
    }
  });
}
