/**
 * Compares implementations of the same work in one process, in turns. Libraries such as tinybench run one task to its end
 * before the next, so on a shared machine the load may differ between them.
 */

interface Contender {
  readonly name: string;
  /** Operations that one `run` performs. Times are given per operation. */
  readonly operations: number;
  run(): unknown | Promise<unknown>;
}

/** Implementations of the same work. Ratios are relative to the first one. */
export interface Comparison {
  readonly rounds: number;
  /**
   * Prepares the contenders, untimed: loads keys, creates inputs, and checks that all give the same result.
   *
   * @param resources what to free after the last round
   */
  open(resources: AsyncDisposableStack): Promise<readonly Contender[]> | readonly Contender[];
}

/** A contender's time for one operation. */
interface Measurement {
  readonly name: string;
  readonly milliseconds: number;
  /** Its time divided by the first contender's, the median over the rounds. */
  readonly ratio: number;
}

/**
 * Runs a warm-up round, then `rounds` in which the contenders take turns. Ratios are computed within a round, because
 * the load of a shared machine changes by more than most improvements gain.
 */
export async function measure(
  comparison: Comparison,
  now: () => number = () => performance.now(),
): Promise<Measurement[]> {
  await using resources = new AsyncDisposableStack();
  const contenders = await comparison.open(resources);
  const rounds: number[][] = [];
  for (let round = 0; round <= comparison.rounds; round++) {
    const times: number[] = [];
    for (const { operations, run } of contenders) {
      const start = now();
      await run();
      times.push((now() - start) / operations);
    }
    if (round > 0) rounds.push(times);
  }
  return contenders.map(({ name }, i) => ({
    name,
    milliseconds: median(rounds.map((times) => times[i])),
    ratio: median(rounds.map((times) => times[i] / times[0])),
  }));
}

/** Returns the middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
