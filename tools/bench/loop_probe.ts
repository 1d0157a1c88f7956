/** How long an event loop does nothing else: a timer that is to come every few milliseconds says how late it came. */

const EVERY_MS = 4;

/** What a probe saw since it was last asked. */
export interface Gaps {
  /** Milliseconds that the loop was longest away, and that it was less than in 99 of 100 turns. */
  readonly longest: number;
  readonly p99: number;
}

/** Starts probing; each call tells of the time since the call before. */
export function probeLoop(): { gaps(): Gaps; stop(): void } {
  let seen: number[] = [];
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    seen.push(Math.max(0, now - last - EVERY_MS));
    last = now;
  }, EVERY_MS);
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
