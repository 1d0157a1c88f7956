/** The mutants of the contracts with their results, and the loop that tries them. */
import { equivalenceReason } from "./equivalent_mutants.ts";
import { KillingTests } from "./killing_tests.ts";
import { type Mutant, mutantsOf } from "./operators.ts";
import { scoreOf, type TriedMutant } from "./page.ts";
import { ProgressReporter } from "./progress.ts";
import {
  isCurrent,
  loadRecords,
  mutantDigest,
  type MutantRecord,
  nameMutants,
  type ResultVersion,
} from "./results.ts";
import { type PoolKind, readSources } from "./trial/pools.ts";

/** The repository. */
export const root = new URL("../../", import.meta.url);
const resultFile = new URL("dist/mutants.jsonl", root);

export type NamedMutant = readonly [key: string, mutant: Mutant];

/** Tries a mutant. Each worker tries one at a time. */
export type TryMutant = (named: NamedMutant) => Promise<Omit<MutantRecord, "key">>;

export class MutationRun {
  readonly #tests = new KillingTests(root);

  private constructor(
    /** The contracts that each source belongs to. */
    readonly sources: ReadonlyMap<string, readonly PoolKind[]>,
    /** All mutants, by name. */
    readonly all: ReadonlyMap<string, Mutant>,
    readonly entries: Map<string, MutantRecord>,
    /** Returns the digest of the declaration that a mutant changes. */
    readonly sourceOf: (mutant: Mutant) => string,
  ) {}

  /** Makes the mutants of today's sources, and reads the results so far. */
  static async open(): Promise<MutationRun> {
    const sources = readSources(root);
    const texts = new Map(
      [...sources.keys()].map((path) => [path, Deno.readTextFileSync(new URL(path, root))]),
    );
    const all = nameMutants([...texts].flatMap(([path, source]) => mutantsOf(path, source)));
    const sourceOf = (mutant: Mutant) => mutantDigest(mutant, texts.get(mutant.file)!);
    return new MutationRun(sources, all, await loadRecords(resultFile), sourceOf);
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
      equivalenceReason(mutant) !== undefined;
    return isArgued || isCurrent(entry, version, (by) => this.#tests.digestOf(by));
  }

  /** Tries mutants on several workers, and stores each result at once. */
  async tryAll(open: readonly NamedMutant[], workers: readonly TryMutant[]): Promise<void> {
    const progress = new ProgressReporter(open.length);
    const queue = [...open];
    using out = await Deno.open(resultFile, { create: true, append: true });
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
  }

  /** Prints the survivors among these mutants, and their score. */
  print(named: readonly NamedMutant[]): void {
    const done = this.current(named.map(([key]) => key));
    for (const { file, line, operator, shows, verdict } of done) {
      if (verdict === "survived") console.log(`${file}:${line}: ${operator}: ${shows}`);
    }
    const { killed, counted, percent } = scoreOf(done);
    console.log(`${killed} of ${counted} mutants killed: ${percent} %`);
  }
}
