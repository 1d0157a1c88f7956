/** What earlier runs found, so that a run that was cut off goes on and a later one knows where to begin. */
import type { Mutant } from "./operators.ts";
import type { Result } from "./trial.ts";

/** A line of the file of results. */
export interface Entry extends Result {
  readonly key: string;
  readonly file: string;
  readonly operator: string;
  readonly line: number;
  readonly shows: string;
  /** Digest of all sources of the contracts, and of all tests: what the result holds for. */
  readonly sources: string;
  readonly tests: string;
  /** Claims that take longer, in milliseconds, were left out; null: none was. */
  readonly slowest: number | null;
}

/** A name for each mutant that stays when lines above it change. */
export function keyed(mutants: readonly Mutant[]): Map<string, Mutant> {
  const named = new Map<string, Mutant>();
  for (const mutant of mutants) {
    const name = `${mutant.file}: ${mutant.operator}: ${mutant.shows}`;
    let key = name;
    for (let n = 2; named.has(key); n++) key = `${name} (${n})`;
    named.set(key, mutant);
  }
  return named;
}

/** Entries of a file of results, the last of each key; none where there is no file. */
export async function loadEntries(path: URL): Promise<Map<string, Entry>> {
  const text = await Deno.readTextFile(path).catch(() => "");
  const entries = text.split("\n").filter(Boolean).map((line) => JSON.parse(line) as Entry);
  return new Map(entries.map((entry) => [entry.key, entry]));
}

/** Whether a result still stands: of these sources, and for a survivor of these tests and all claims that are wanted. */
export function stands(
  entry: Entry | undefined,
  { sources, tests, slowest }: Pick<Entry, "sources" | "tests" | "slowest">,
): entry is Entry {
  if (entry === undefined || entry.sources !== sources) return false;
  if (entry.verdict !== "survived") return true;
  return entry.tests === tests && (entry.slowest ?? Infinity) >= (slowest ?? Infinity);
}

/** Hex SHA-256 over the contents of files, in order. */
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
