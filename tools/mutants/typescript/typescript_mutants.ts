/**
 * Mutation testing of `src/`: makes one small change at a time in a copy of the repository and runs the tests that
 * execute the changed line, the fastest first.
 *
 * Usage: deno task mutants --typescript [folder or file] [--only <text>] [--sample n] [--skip n] [--near] [--workers n]
 *   [--json] [--write]
 *
 * `--sample n` tries n mutants of each folder, after the first `--skip` ones of its order. `--near` runs only the tests
 * next to the code. Results are stored in tools/mutants/typescript/results.jsonl, from
 * which the next run continues. `--write` writes the tables of docs/mutation.md.
 */
import { Command } from "commander";
import {
  adoptMoved,
  digestOf,
  isCurrent,
  loadRecords,
  mutantDigest,
  type MutantRecord,
  nameMutants,
  saveRecords,
  shuffled,
} from "../results.ts";
import type { Mutant } from "../operators.ts";
import { scoreOf, type TriedMutant } from "../page.ts";
import { ProgressReporter } from "../progress.ts";
import { typeScriptMutants } from "./operators.ts";
import { folderOf, writeTypeScriptPage } from "./page.ts";
import { equivalenceReason } from "./equivalent_mutants.ts";
import { type Coverage, coveringTests, measureCoverage } from "./coverage.ts";
import { listTests, listTypeScriptFiles, type TestFile } from "./test_selection.ts";
import { MutationCopy, tryTypeScriptMutant } from "./trial.ts";
import { parseCount } from "../parse_count.ts";

const root = new URL("../../../", import.meta.url);
const results = new URL("tools/mutants/typescript/results.jsonl", root);
const given = new Command("mutants").allowExcessArguments(false)
  .option("--typescript [folder]", "folder or file below src/")
  .option("--only <text>", "part of a mutant's name: file, kind of fault, or line before and after", "")
  .option("--sample <n>", "how many mutants of each folder", parseCount, Infinity)
  .option("--skip <n>", "how many mutants of each folder are left out first", parseCount, 0)
  .option("--near", "only tests below src/")
  .option("--workers <n>", "processes", parseCount, 2)
  .option("--json").option("--write")
  .parse(Deno.args, { from: "user" })
  .opts<{
    typescript: string | true;
    only: string;
    sample: number;
    skip: number;
    near?: true;
    workers: number;
    json?: true;
    write?: true;
  }>();

const paths = (await listTypeScriptFiles(root, "src/"))
  .filter((path) => !/_test\.ts$|\/generated\//.test(path));
const texts = new Map(paths.map((path) => [path, Deno.readTextFileSync(new URL(path, root))]));
const all = nameMutants([...texts].flatMap(([path, source]) => typeScriptMutants(path, source)));
const entries = await loadRecords(results);
adoptMoved(entries, all, sourceOf);

if (given.write) {
  await writeTypeScriptPage(current(), [...all.values()]);
} else {
  const sampled = chooseMutants();
  const copies = await Promise.all(
    Array.from(
      { length: given.workers },
      (_, i) => MutationCopy.create(root, new URL(`dist/mutants/${i}/`, root)),
    ),
  );
  const sources = new Set(sampled.map(([, { file }]) => file));
  const cache = new URL("dist/mutants_coverage.json", root);
  const coverage = await measureCoverage(root, copies[0], await chooseTests(sources), cache);
  const open: (readonly [string, Mutant])[] = [];
  for (const each of sampled) if (!await isSettled(each, coverage)) open.push(each);
  if (open.length > 0) await run(open, coverage, copies);
  const done = current(new Set(sampled.map(([key]) => key)));
  if (given.json) console.log(JSON.stringify(done, null, 2));
  else {
    for (const { file, line, operator, shows, verdict } of done) {
      if (verdict === "survived") console.log(`${file}:${line}: ${operator}: ${shows}`);
    }
    const { killed, counted, percent } = scoreOf(done, equivalenceReason);
    console.log(`${killed} of ${counted} mutants killed: ${percent} %`);
  }
}

async function chooseTests(sources: ReadonlySet<string>): Promise<string[]> {
  const tests = await listTests(root, sources);
  return given.near ? tests.filter((path) => path.startsWith("src/")) : tests;
}

/** Returns the mutants that the flags ask for: of each folder a part of its shuffled order. */
function chooseMutants(): (readonly [string, Mutant])[] {
  const part = given.typescript === true ? "src/" : given.typescript.replace(/^\.\//, "");
  const chosen = [...all].filter(([key]) => key.startsWith(part) && key.includes(given.only));
  const byFolder = Map.groupBy(chosen, ([, { file }]) => folderOf(file));
  const samples = [...byFolder.values()].map((named) =>
    shuffled(named, given.skip + given.sample).slice(given.skip)
  );
  return samples.flat();
}

/** Returns the results for these sources, with their mutants. */
function current(keys?: ReadonlySet<string>): TriedMutant[] {
  return [...all].flatMap(([key, mutant]) => {
    const entry = entries.get(key);
    if (keys && !keys.has(key)) return [];
    return entry && entry.source === sourceOf(mutant) ? [{ ...mutant, ...entry }] : [];
  });
}

function sourceOf(mutant: Mutant): string {
  return mutantDigest(mutant, texts.get(mutant.file)!);
}

async function versionOf(mutant: Mutant, coverage: Coverage) {
  const tests = await digestOf(root, coveringTests(coverage, mutant));
  return { source: sourceOf(mutant), tests, budget: null };
}

/** Returns whether a mutant need not be tried: its result is valid, or it survived and is equivalent. */
async function isSettled([key, mutant]: readonly [string, Mutant], coverage: Coverage): Promise<boolean> {
  const entry = entries.get(key);
  const isArgued = entry?.verdict === "survived" && entry.source === sourceOf(mutant) &&
    equivalenceReason(mutant) !== undefined;
  return isArgued || isCurrent(entry, await versionOf(mutant, coverage));
}

async function run(
  open: readonly (readonly [string, Mutant])[],
  coverage: Coverage,
  copies: readonly MutationCopy[],
): Promise<void> {
  const tests = new Map<string, TestFile>();
  const testsOf = (mutant: Mutant) =>
    coveringTests(coverage, mutant).map((path) => {
      const { milliseconds } = coverage.get(path)!;
      const known = tests.get(path) ?? { path, milliseconds, holds: undefined, kills: new Map() };
      tests.set(path, known);
      return known;
    });
  const bar = new ProgressReporter(open.length);
  const queue = [...open];
  const out = await Deno.open(results, { create: true, append: true });
  await Promise.all(copies.map(async (copy) => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [key, mutant] = next;
      const result = await tryTypeScriptMutant(copy, mutant, testsOf(mutant));
      const entry: MutantRecord = { key, ...result, ...await versionOf(mutant, coverage) };
      entries.set(key, entry);
      await out.write(new TextEncoder().encode(`${JSON.stringify(entry)}\n`));
      bar.add(result.verdict, `${mutant.file}:${mutant.line}`);
    }
  }));
  out.close();
  await saveRecords(results, [...all.keys()].flatMap((key) => entries.get(key) ?? []));
}
