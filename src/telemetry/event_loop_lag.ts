/** Measures event loop lag: blocking work on the main thread delays every request. */

const SAMPLE_INTERVAL_MS = 500;

/** Reports the lag in seconds, by default twice a second. Returns a function that stops it. */
export function monitorEventLoopLag(
  report: (seconds: number) => void,
  everyMs: number = SAMPLE_INTERVAL_MS,
): () => void {
  let due = performance.now() + everyMs;
  const timer = setInterval(() => {
    const now = performance.now();
    report(Math.max(0, now - due) / 1000);
    due = now + everyMs;
  }, everyMs);
  return () => clearInterval(timer);
}
