/** Stores measurements in one file with an entry per study and build, so that a part can be measured again. */
import { availableParallelism, cpus, loadavg } from "node:os";
import { dateAndCommit } from "../shared/git_revision.ts";
import type { Build, Outcome } from "./study.ts";

const FILE = new URL("../../dist/bench_results.json", import.meta.url);

/** An outcome and the circumstances of its measurement. */
export interface StudyResult extends Outcome {
  readonly study: string;
  readonly build: Build;
  /** Date and commit. */
  readonly when: string;
  readonly deno: string;
  /** Hardware threads. */
  readonly threads: number;
  /** Model of the processor. */
  readonly processor: string;
  /**
   * Load average of a minute at the start. Above the number of threads, other processes took part of the machine.
   */
  readonly load: number;
  /** Duration of the study in seconds. */
  readonly seconds: number;
}

/** A result without its outcome. */
type Circumstances = Pick<StudyResult, "when" | "deno" | "threads" | "processor" | "load">;

export async function currentCircumstances(): Promise<Circumstances> {
  return {
    when: await dateAndCommit(),
    deno: Deno.version.deno,
    threads: availableParallelism(),
    processor: cpus()[0].model,
    load: Math.round(loadavg()[0] * 10) / 10,
  };
}

/** Reads all stored results. */
export async function readResults(): Promise<StudyResult[]> {
  try {
    return JSON.parse(await Deno.readTextFile(FILE));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Stores a result in place of an older one of the same study and build. */
export async function keepResult(result: StudyResult): Promise<void> {
  const others = (await readResults()).filter(({ study, build }) =>
    study !== result.study || build !== result.build
  );
  const all = [...others, result].sort((a, b) => `${a.study} ${a.build}` < `${b.study} ${b.build}` ? -1 : 1);
  await Deno.mkdir(new URL(".", FILE), { recursive: true });
  await Deno.writeTextFile(FILE, `${JSON.stringify(all.map(rounded), undefined, 2)}\n`);
}

/** Rounds to four digits, which is the precision of the measurement. */
function rounded(result: StudyResult): StudyResult {
  return JSON.parse(JSON.stringify(
    result,
    (key, value) => typeof value === "number" && key !== "x" ? Number(value.toPrecision(4)) : value,
  ));
}
