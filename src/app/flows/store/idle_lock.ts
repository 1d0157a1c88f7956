/** Decides when an open store locks by itself: after a time without input, and sooner while the page is hidden. */
import type { Clock } from "../../ports.ts";

const MAX_HIDDEN_MS = 120_000;

export interface IdleLock {
  check(): void;
  recordInput(): void;
  recordVisibility(isHidden: boolean): void;
}

/**
 * Starts with the time of an input. Each event is checked before it is recorded, because a browser that
 * freezes a page also stops the timer that calls `check`.
 * @param lockAfterMs returns the time without input, in milliseconds
 * @param onDue is called at each check while the lock is due
 */
export function startIdleLock(
  { clock, lockAfterMs, onDue }: {
    readonly clock: Pick<Clock, "now">;
    readonly lockAfterMs: () => number;
    readonly onDue: () => void;
  },
): IdleLock {
  let lastInput = clock.now();
  let hiddenSince: number | undefined;
  const check = () => {
    const idle = clock.now() - lastInput;
    const hidden = hiddenSince === undefined ? 0 : clock.now() - hiddenSince;
    const isClockSetBack = idle < 0;
    const maxHidden = Math.min(MAX_HIDDEN_MS, lockAfterMs());
    if (isClockSetBack || idle >= lockAfterMs() || hidden >= maxHidden) onDue();
  };
  return {
    check,
    recordInput() {
      check();
      lastInput = clock.now();
    },
    recordVisibility(isHidden) {
      check();
      hiddenSince = isHidden ? clock.now() : undefined;
    },
  };
}
