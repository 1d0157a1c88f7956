/** Measures how long the main thread keeps a timer waiting: work that blocks it delays every request by as much. */

const EVERY_MS = 500;

/** Reports the lag in seconds, twice a second unless told otherwise. @returns ends it */
export function watchEventLoop(report: (seconds: number) => void, everyMs: number = EVERY_MS): () => void {
  let due = performance.now() + everyMs;
  const timer = setInterval(() => {
    const now = performance.now();
    report(Math.max(0, now - due) / 1000);
    due = now + everyMs;
  }, everyMs);
  return () => clearInterval(timer);
}
