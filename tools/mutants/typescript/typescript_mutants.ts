/**
 * Mutation testing of `src/`: makes one small change at a time in a copy of the repository and runs the tests that
 * execute the changed line, the fastest first.
 *
 * Usage: deno task mutants --typescript [folder or file] [--only <text>] [--sample n] [--skip n] [--near]
 *   [--tests <parts>] [--seconds n] [--survivors] [--stale] [--workers n] [--json] [--write]
 *
 * `--sample n` tries n mutants of each folder, after the first `--skip` ones of its order. `--near` runs only the tests
 * below src/ and those below tests/ that are meant for the folder, `--tests` only those whose path contains one of these
 * parts; test files that take longer than `--seconds` do not run. `--survivors` tries only mutants that survived an
 * earlier run, `--stale` only those whose declaration changed since their result. Results are stored in
 * tools/mutants/typescript/results.jsonl, from which the next run continues. `--write` writes the tables of
 * docs/mutation.md, and removes results of old sources.
 */
import type { Mutant } from "../operators.ts";
import { digestOf, shuffled } from "../results.ts";
import { mutationCommand, type MutationFlags, type NamedMutant, root } from "../run.ts";
import { parseCount } from "../parse_count.ts";
import { folderOf, writeTypeScriptPage } from "./page.ts";
import { type Coverage, coveringTests, measureCoverage } from "./coverage.ts";
import { isNear, listTests, type TestFile } from "./test_selection.ts";
import { MutationCopy, tryTypeScriptMutant } from "./trial.ts";
import { openTypeScriptRun } from "./typescript_run.ts";

const given = mutationCommand("how many mutants of each folder")
  .option("--typescript [folder]", "folder or file below src/")
  .option("--skip <n>", "how many mutants of each folder are left out first", parseCount, 0)
  .option("--near", "only tests below src/ and those meant for the folder")
  .option("--seconds <n>", "slower test files do not run", parseCount, 60)
  .option("--tests <parts>", "only tests whose path contains one of the parts, separated by a vertical bar")
  .option("--survivors", "only mutants that survived an earlier run")
  .option("--stale", "only mutants whose declaration changed since their result")
  .parse(Deno.args, { from: "user" })
  .opts<
    MutationFlags & {
      typescript: string | true;
      skip: number;
      near?: true;
      seconds: number;
      tests?: string;
      survivors?: true;
      stale?: true;
    }
  >();

const trials = await openTypeScriptRun();

if (given.write) {
  await trials.save();
  await writeTypeScriptPage(trials.current(), [...trials.all.values()]);
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
  const coverage = await measureCoverage(root, copies[0], await chooseTests(sources), cache, given.seconds);
  const open: NamedMutant[] = [];
  for (const named of sampled) {
    if (!trials.isSettled(named, await versionOf(named[1], coverage, copies[0]))) open.push(named);
  }
  if (open.length > 0) await run(open, coverage, copies);
  trials.print(sampled, given);
}

async function chooseTests(sources: ReadonlySet<string>): Promise<string[]> {
  const parts = given.tests?.split("|") ?? [""];
  const tests = (await listTests(root, sources)).filter((test) => parts.some((part) => test.includes(part)));
  return given.near ? tests.filter((test) => [...sources].some((source) => isNear(test, source))) : tests;
}

/** Returns the mutants that the flags ask for: of each folder a part of its shuffled order. */
function chooseMutants(): NamedMutant[] {
  const part = given.typescript === true ? "src/" : given.typescript.replace(/^\.\//, "");
  const chosen = [...trials.all].filter(([key, mutant]) => {
    if (!key.startsWith(part) || !key.includes(given.only)) return false;
    const entry = trials.entries.get(key);
    if (given.survivors && entry?.verdict !== "survived") return false;
    return !given.stale || (entry !== undefined && entry.source !== trials.sourceOf(mutant));
  });
  const byFolder = Map.groupBy(chosen, ([, { file }]) => folderOf(file));
  return [...byFolder.values()].flatMap((named) =>
    shuffled(named, given.skip + given.sample).slice(given.skip)
  );
}

/** The tests are read from the copy, because those of the repository may change during the run. */
async function versionOf(mutant: Mutant, coverage: Coverage, { folder }: MutationCopy) {
  const tests = await digestOf(folder, coveringTests(coverage, mutant));
  return { source: trials.sourceOf(mutant), tests, budget: null };
}

async function run(
  open: readonly NamedMutant[],
  coverage: Coverage,
  copies: readonly MutationCopy[],
): Promise<void> {
  const tests = new Map<string, TestFile>();
  const testsOf = (mutant: Mutant) =>
    coveringTests(coverage, mutant).map((path) => {
      const { milliseconds } = coverage.get(path)!;
      const known = tests.get(path) ?? { path, milliseconds, passesUnchanged: undefined, kills: new Map() };
      tests.set(path, known);
      return known;
    });
  const workers = copies.map((copy) => async ([, mutant]: NamedMutant) => ({
    ...await tryTypeScriptMutant(copy, mutant, testsOf(mutant)),
    ...await versionOf(mutant, coverage, copy),
  }));
  await trials.tryAll(open, workers);
}
