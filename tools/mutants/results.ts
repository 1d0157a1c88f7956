/** Stores results, so that an interrupted run continues and a later run knows which tests to try first. */
import type { Mutant } from "./operators.ts";
import type { TrialResult } from "./trial.ts";

/** A line of the result file. */
export interface MutantRecord extends TrialResult {
  readonly key: string;
  readonly file: string;
  readonly operator: string;
  readonly line: number;
  readonly shows: string;
  /** Digests of the contracts' sources and of the tests that the result is valid for. */
  readonly sources: string;
  readonly tests: string;
  /** Tests that take longer, in milliseconds, were left out; null if none was. */
  readonly slowest: number | null;
}

/** Gives each mutant a name that stays the same when lines above it change. */
export function nameMutants(mutants: readonly Mutant[]): Map<string, Mutant> {
  const named = new Map<string, Mutant>();
  for (const mutant of mutants) {
    const name = `${mutant.file}: ${mutant.operator}: ${mutant.shows}`;
    let key = name;
    for (let n = 2; named.has(key); n++) key = `${name} (${n})`;
    named.set(key, mutant);
  }
  return named;
}

/** Reads the result file: the last record of each key. Returns none if the file does not exist. */
export async function loadRecords(path: URL): Promise<Map<string, MutantRecord>> {
  const text = await Deno.readTextFile(path).catch(() => "");
  const entries = text.split("\n").filter(Boolean).map((line) => JSON.parse(line) as MutantRecord);
  return new Map(entries.map((entry) => [entry.key, entry]));
}

/**
 * Returns whether a result is valid: for these sources, and if the mutant survived for these tests and all wanted
 * ones.
 */
export function isCurrent(
  entry: MutantRecord | undefined,
  { sources, tests, slowest }: Pick<MutantRecord, "sources" | "tests" | "slowest">,
): entry is MutantRecord {
  if (entry === undefined || entry.sources !== sources) return false;
  if (entry.verdict !== "survived") return true;
  return entry.tests === tests && (entry.slowest ?? Infinity) >= (slowest ?? Infinity);
}

/** Returns the hex SHA-256 of the contents of files, in order. */
export async function digestOf(root: URL, paths: readonly string[]): Promise<string> {
  const texts = await Promise.all(
    [...paths].sort().map(async (path) => {
      const text = await Deno.readTextFile(new URL(path, root));
      return `${path}\n${text}\n`;
    }),
  );
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(texts.join("")));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
