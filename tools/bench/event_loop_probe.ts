/** Measures how long the event loop is blocked, by the delay of a timer that should fire every few milliseconds. */

const PROBE_INTERVAL_MS = 4;

/** Delays since the previous reading. */
export interface LoopDelays {
  /** Milliseconds: the longest delay, and the 99th percentile. */
  readonly longest: number;
  readonly p99: number;
}

/** Starts the probe. Each call of `gaps` returns the delays since the call before. */
export function startLoopProbe(): { gaps(): LoopDelays; stop(): void } {
  let seen: number[] = [];
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    seen.push(Math.max(0, now - last - PROBE_INTERVAL_MS));
    last = now;
  }, PROBE_INTERVAL_MS);
  return {
    gaps() {
      const sorted = [...seen, 0].sort((a, b) => a - b);
      seen = [];
      last = performance.now();
      return { longest: sorted[sorted.length - 1], p99: sorted[Math.floor(0.99 * (sorted.length - 1))] };
    },
    stop: () => clearInterval(timer),
  };
}
