/** Estimates the chance that a version 1 deposit is the first at its leaf, from the pool's recent deposits. */

const RATE_WINDOW_SECONDS = 86_400;
/** Minimum period: in a younger pool, a single deposit would give a much too high rate. */
const MIN_WINDOW_SECONDS = 3_600;

/**
 * Returns the chance (0 to 1) of t seconds without a deposit: exp(-rate t) in a Poisson process. Unix
 * seconds.
 */
export function firstAttemptChance(depositTimes: readonly number[], now: number, paySeconds: number): number {
  const first = depositTimes.reduce((least, time) => Math.min(least, time), now);
  const window = Math.max(MIN_WINDOW_SECONDS, Math.min(RATE_WINDOW_SECONDS, now - first));
  const recent = depositTimes.filter((time) => time > now - window && time <= now).length;
  return Math.exp(-recent / window * paySeconds);
}
