/** Where measurements are kept between runs: one file, one entry a study and build, so that a part can be measured again. */
import { availableParallelism, loadavg } from "node:os";
import type { Build, Outcome } from "./study.ts";

const FILE = new URL("../../docs/performance/results.json", import.meta.url);

/** An outcome with the circumstances that it was measured in. */
export interface Result extends Outcome {
  readonly study: string;
  readonly build: Build;
  readonly deno: string;
  /** Hardware threads. */
  readonly threads: number;
  /** Processes that ran or waited when it began, mean of a minute: above the threads' number others took their part. */
  readonly load: number;
  /** Seconds that the study took. */
  readonly seconds: number;
}

/** The circumstances now. */
export function circumstances(): Pick<Result, "deno" | "threads" | "load"> {
  return {
    deno: Deno.version.deno,
    threads: availableParallelism(),
    load: Math.round(loadavg()[0] * 10) / 10,
  };
}

/** Everything that was measured so far. */
export async function readResults(): Promise<Result[]> {
  try {
    return JSON.parse(await Deno.readTextFile(FILE));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Puts a result in the place of an older one of the same study and build. */
export async function keepResult(result: Result): Promise<void> {
  const others = (await readResults()).filter(({ study, build }) =>
    study !== result.study || build !== result.build
  );
  const all = [...others, result].sort((a, b) => `${a.study} ${a.build}` < `${b.study} ${b.build}` ? -1 : 1);
  await Deno.mkdir(new URL(".", FILE), { recursive: true });
  await Deno.writeTextFile(FILE, `${JSON.stringify(all.map(rounded), undefined, 2)}\n`);
}

/** Four digits are more than is known. */
function rounded(result: Result): Result {
  return JSON.parse(JSON.stringify(
    result,
    (key, value) => typeof value === "number" && key !== "x" ? Number(value.toPrecision(4)) : value,
  ));
}
