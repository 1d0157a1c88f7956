/** Keeps results in a file, so that an interrupted run continues, and a later run knows which tests to try first. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Mutant } from "./operators.ts";
import { declarationAt } from "./tolk_text.ts";
import type { Verdict } from "./trial/trial.ts";

/** The versions of the source and of the tests that a result is valid for. */
export interface ResultVersion {
  /** Digest of the declaration that is mutated, without comments. A change elsewhere leaves the result valid. */
  readonly source: string;
  /** Digest of the tests. */
  readonly tests: string;
  /** How long tests ran before the rest was left out, in milliseconds; null if all tests ran. */
  readonly budget: number | null;
}

/** A line of the result file. */
export interface MutantRecord extends ResultVersion {
  /** The mutant's name, see nameMutants. */
  readonly key: string;
  readonly verdict: Verdict;
  /** The test that killed it: `file: name`. */
  readonly by?: string;
  /** Digest of that test, see KillingTests. A change of the test makes the result invalid. */
  readonly test?: string;
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
 * Returns whether a result is valid: for this source, if the mutant was killed for the test that killed it, and if it
 * survived for these tests and all wanted ones.
 *
 * @param digestOfTest returns the digest of a killing test as it is today
 */
export function isCurrent(
  entry: MutantRecord | undefined,
  { source, tests, budget }: ResultVersion,
  digestOfTest: (by: string) => string | undefined,
): entry is MutantRecord {
  if (entry === undefined || entry.source !== source) return false;
  if (entry.verdict === "killed") return entry.test !== undefined && entry.test === digestOfTest(entry.by!);
  if (entry.verdict !== "survived") return true;
  return entry.tests === tests && (entry.budget ?? Infinity) >= (budget ?? Infinity);
}

/** Returns the first 16 hex digits of the SHA-256 of the names and contents of files, in order. */
export async function digestOf(root: URL, paths: readonly string[]): Promise<string> {
  const texts = await Promise.all(
    [...paths].sort().map(async (path) => {
      const text = await Deno.readTextFile(new URL(path, root));
      return `${path}\n${text}\n`;
    }),
  );
  return shortHash(texts.join(""));
}

/** Returns the first 16 hex digits of the SHA-256 of a source's lines without comments. */
export function sourceDigest(source: string): string {
  const lines = source.replace(/^ *\/\*[\s\S]*?\*\/$/gm, "").split("\n")
    .map((line) => line.replace(/(?:^|\s)\/\/ .*$/, "").trimEnd());
  return shortHash(lines.filter(Boolean).join("\n"));
}

function shortHash(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text))).slice(0, 16);
}

/** Returns the digest of the declaration that a mutant changes. @param source of its file */
export function mutantDigest({ at }: Mutant, source: string): string {
  return sourceDigest(declarationAt(source, at));
}

/** Shuffles in an order that is the same in every run, so that any beginning of it is a sample. */
export function shuffled<T>(named: readonly (readonly [string, T])[], count: number) {
  const ranked = named.map((each) => ({ each, rank: bytesToHex(sha256(utf8ToBytes(each[0]))).slice(0, 8) }));
  return ranked.sort((a, b) => a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0).slice(0, count)
    .map(({ each }) => each);
}
