/** What the two kinds of mutation runs share: the flags, the stored results, and the loop over the mutants. */
import { Command } from "commander";
import { KillingTests } from "./killing_tests.ts";
import type { Mutant } from "./operators.ts";
import { type Reason, scoreOf, type TriedMutant } from "./page.ts";
import { parseCount } from "./parse_count.ts";
import { ProgressReporter } from "./progress.ts";
import {
  adoptMoved,
  isCurrent,
  loadRecords,
  mutantDigest,
  type MutantRecord,
  nameMutants,
  type ResultVersion,
  saveRecords,
} from "./results.ts";

/** The repository. */
export const root = new URL("../../", import.meta.url);

export interface MutationFlags {
  only: string;
  sample: number;
  workers: number;
  json?: true;
  write?: true;
}

/** Returns a command with the flags that both kinds of runs have. @param sampled what `--sample` counts */
export function mutationCommand(sampled: string): Command {
  return new Command("mutants").allowExcessArguments(false)
    .option("--only <text>", "part of a mutant's name: file, kind of fault, or line before and after", "")
    .option("--sample <n>", sampled, parseCount, Infinity)
    .option("--workers <n>", "processes", parseCount, 2)
    .option("--json").option("--write");
}

export type NamedMutant = readonly [key: string, mutant: Mutant];

/** Tries a mutant. Each worker tries one at a time. */
export type TryMutant = (named: NamedMutant) => Promise<Omit<MutantRecord, "key">>;

export class MutationRun {
  readonly #tests = new KillingTests(root);

  private constructor(
    readonly results: URL,
    /** All mutants, by name. */
    readonly all: ReadonlyMap<string, Mutant>,
    readonly entries: Map<string, MutantRecord>,
    /** Returns the digest of the declaration that a mutant changes. */
    readonly sourceOf: (mutant: Mutant) => string,
    readonly reasonOf: Reason,
  ) {}

  /** @param paths the sources, from the root */
  static async open(
    results: URL,
    paths: readonly string[],
    mutantsOf: (path: string, source: string) => Mutant[],
    reasonOf: Reason,
  ): Promise<MutationRun> {
    const texts = new Map(paths.map((path) => [path, Deno.readTextFileSync(new URL(path, root))]));
    const all = nameMutants([...texts].flatMap(([path, source]) => mutantsOf(path, source)));
    const entries = await loadRecords(results);
    const sourceOf = (mutant: Mutant) => mutantDigest(mutant, texts.get(mutant.file)!);
    adoptMoved(entries, all, sourceOf);
    return new MutationRun(results, all, entries, sourceOf, reasonOf);
  }

  /** Returns the results for these sources, with their mutants. */
  current(keys: Iterable<string> = this.all.keys()): TriedMutant[] {
    return [...keys].flatMap((key) => {
      const [mutant, entry] = [this.all.get(key)!, this.entries.get(key)];
      return entry?.source === this.sourceOf(mutant) ? [{ ...mutant, ...entry }] : [];
    });
  }

  /** Returns whether a mutant need not be tried: its result is valid, or it survived and is equivalent. */
  isSettled([key, mutant]: NamedMutant, version: ResultVersion): boolean {
    const entry = this.entries.get(key);
    const isArgued = entry?.verdict === "survived" && entry.source === version.source &&
      this.reasonOf(mutant) !== undefined;
    return isArgued || isCurrent(entry, version, (by) => this.#tests.digestOf(by));
  }

  /** Tries mutants on several workers, and stores each result at once. At the end, results of old sources go. */
  async tryAll(open: readonly NamedMutant[], workers: readonly TryMutant[]): Promise<void> {
    const progress = new ProgressReporter(open.length);
    const queue = [...open];
    const out = await Deno.open(this.results, { create: true, append: true });
    await Promise.all(workers.map(async (tryMutant) => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [key, { file, line }] = next;
        const result = await tryMutant(next);
        const test = result.by && this.#tests.digestOf(result.by);
        const entry: MutantRecord = { key, ...result, ...test && { test } };
        this.entries.set(key, entry);
        await out.write(new TextEncoder().encode(`${JSON.stringify(entry)}\n`));
        progress.add(entry.verdict, `${file}:${line}`);
      }
    }));
    out.close();
    await this.save();
  }

  /** Stores the results of today's sources, and no others. */
  async save(): Promise<void> {
    await saveRecords(this.results, this.current().map(({ key }) => this.entries.get(key)!));
  }

  /** Prints the survivors among these mutants, and their score. */
  print(named: readonly NamedMutant[], { json }: Pick<MutationFlags, "json">): void {
    const done = this.current(named.map(([key]) => key));
    if (json) return console.log(JSON.stringify(done, null, 2));
    for (const { file, line, operator, shows, verdict } of done) {
      if (verdict === "survived") console.log(`${file}:${line}: ${operator}: ${shows}`);
    }
    const { killed, counted, percent } = scoreOf(done, this.reasonOf);
    console.log(`${killed} of ${counted} mutants killed: ${percent} %`);
  }
}
