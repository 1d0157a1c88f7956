/** Estimates the chance that a version 1 deposit is the first at its leaf, from the pool's recent deposits. */

/** Period that the rate is computed over. */
const RATE_WINDOW_SECONDS = 86_400;
/** Minimum period: in a younger pool, a single deposit would give a much too high rate. */
const MIN_WINDOW_SECONDS = 3_600;

/**
 * Returns the chance that no other deposit comes first, from 0 to 1. Deposits are modelled as a Poisson process, where
 * nothing happens for t seconds with probability exp(-rate t) (https://en.wikipedia.org/wiki/Poisson_point_process).
 * @param depositTimes of the pool's log, Unix seconds
 * @param now the chain's time, Unix seconds
 * @param paySeconds the longest time from reading the pool until the payment arrives
 */
export function firstAttemptChance(
  depositTimes: readonly number[],
  now: number,
  paySeconds: number,
): number {
  const first = depositTimes.reduce((least, time) => Math.min(least, time), now);
  const window = Math.max(MIN_WINDOW_SECONDS, Math.min(RATE_WINDOW_SECONDS, now - first));
  const recent = depositTimes.filter((time) => time > now - window && time <= now).length;
  return Math.exp(-recent / window * paySeconds);
}
