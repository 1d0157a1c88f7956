/** What a benchmark compares: the same work by us and by others, in one process and in turns. */

/** One way to do the work. */
export interface Contender {
  readonly name: string;
  /** Operations that one `run` does: times are given for one. */
  readonly operations: number;
  run(): unknown | Promise<unknown>;
}

/** Contenders for the same work; ratios are to the first. */
export interface Section {
  readonly title: string;
  /** What one operation is called. */
  readonly operation: string;
  readonly rounds: number;
  /** Prepares the contenders, untimed: loads keys, makes inputs, checks that all of them agree. */
  open(): Promise<readonly Contender[]> | readonly Contender[];
  /** Frees what `open` took. */
  close?(): void | Promise<void>;
}

/** A contender's time for one operation. */
export interface Measurement {
  readonly name: string;
  readonly milliseconds: number;
  /** Its time over the first contender's, the median over the rounds. */
  readonly ratio: number;
}

/**
 * Runs a section: one round to warm up, then `rounds` in which the contenders take turns. Ratios are taken within a
 * round and their median given, because a shared machine drifts by more than most changes gain.
 */
export async function measure(
  section: Section,
  now: () => number = () => performance.now(),
): Promise<Measurement[]> {
  const contenders = await section.open();
  try {
    const rounds: number[][] = [];
    for (let round = 0; round <= section.rounds; round++) {
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
  } finally {
    await section.close?.();
  }
}

/** The middle value; of an even number the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
