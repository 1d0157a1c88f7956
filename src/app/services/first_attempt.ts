/** How likely a version 1 deposit is to be the first one at its leaf, from the pool's recent deposits. */

/** The recent past that the rate is taken from. */
const RATE_WINDOW_SECONDS = 86_400;
/** A pool that is younger than this has no rate yet: one early deposit would look like a flood. */
const MIN_WINDOW_SECONDS = 3_600;

/**
 * Returns the chance that no other deposit comes first, from 0 to 1. Deposits are taken as a Poisson process, in which
 * nothing happens for t seconds with probability exp(-rate t) (https://en.wikipedia.org/wiki/Poisson_point_process).
 * @param depositTimes of the pool's log, Unix seconds
 * @param now the chain's time, Unix seconds
 * @param paySeconds the most that passes between the look at the pool and the payment
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
