/** The wait between attempts. */

interface Backoff {
  readonly initialMs: number;
  readonly maxMs: number;
  /** Returns a number in [0, 1). If given, the wait varies between half and all of its value. */
  readonly random?: () => number;
}

/** Returns the wait in milliseconds after `failures` (1 or more): doubled each time, up to `maxMs`. */
export function backoffMs(failures: number, { initialMs, maxMs, random }: Backoff): number {
  const ms = Math.min(maxMs, initialMs * 2 ** (failures - 1));
  return random === undefined ? ms : ms * (0.5 + random() / 2);
}
