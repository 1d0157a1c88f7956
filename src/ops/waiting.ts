/** Waiting for the chain. */
import { Problem } from "../core/errors.ts";
import { systemTimer } from "../ton/scheduler.ts";

/** How long, how often, and who is told. */
export interface Waiting {
  readonly signal?: AbortSignal;
  /** Milliseconds between looks at the chain; default 2000. */
  readonly pollMs?: number;
  /** Milliseconds to wait at most; default 3 minutes. */
  readonly timeoutMs?: number;
  /** Told while it waits, in milliseconds. */
  readonly onWait?: (waited: { elapsed: number; timeout: number }) => void;
}

/**
 * Looks until `holds`.
 *
 * @returns whether it came to hold in time
 * @throws {Problem} `cancelled`, and what `holds` throws
 */
export async function waitUntil(holds: () => Promise<boolean>, options: Waiting): Promise<boolean> {
  const { signal, onWait, pollMs = 2000, timeoutMs = 180_000 } = options;
  const began = systemTimer.now();
  while (!await holds()) {
    const elapsed = systemTimer.now() - began;
    if (elapsed > timeoutMs) return false;
    onWait?.({ elapsed, timeout: timeoutMs });
    await systemTimer.wait(pollMs, signal).catch((cause) => {
      throw new Problem("cancelled", undefined, { cause });
    });
  }
  return true;
}
