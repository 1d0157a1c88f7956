/**
 * Measures the product's performance relative to its peers. Absolute times depend on the machine and its load, so
 * ratios are compared. Each study runs in a process of its own and stores its result in `dist/bench_results.json`, so
 * that one study can be repeated and an interrupted run continues. When all studies have results, docs/performance.md
 * and its charts are written from them.
 *
 * Usage: deno task bench [--list] [--page] [--missing] [studies...]
 *   studies     studies whose id contains one of these words; default: all
 *   --missing   only studies without a result
 *   --page      measures nothing, and writes the page from the stored results
 *   --list      lists the studies
 */
import { currentCircumstances, keepResult, readResults } from "./results.ts";
import { writePerformancePage } from "./page.ts";
import { studies } from "./all_studies.ts";
import type { Build, Outcome, Study } from "./study.ts";
import { formatFigure } from "./tables.ts";
import { readArguments } from "../shared/arguments.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

const RUNNER = new URL("run_study.ts", import.meta.url).pathname;
const FLAGS: Record<Build, string[]> = {
  plain: [],
  wide: ["--v8-flags=--experimental-wasm-wide-arithmetic"],
};

const given = readArguments(["--list", "--page", "--missing"], Infinity);
if (given.has("--list")) {
  for (const { id, title } of studies) console.log(`${id.padEnd(18)} ${title}`);
  Deno.exit(0);
}

const chosen = given.has("--page")
  ? []
  : studies.filter(({ id }) => given.words.length === 0 || given.words.some((word) => id.includes(word)));
const missing = await missingResults();
const isMissing = (study: Study, build: Build) => missing.includes(nameOf(study, build));
let failed = 0;
for (const study of chosen) {
  for (const build of buildsOf(study)) {
    if (given.has("--missing") && !isMissing(study, build)) continue;
    if (!await measured(study, build)) failed++;
  }
}
const unmeasured = await missingResults();
if (unmeasured.length === 0) await writePerformancePage();
else console.error(`The page is not written. Run \`deno task bench --missing\` for ${unmeasured.join(", ")}`);
if (failed > 0 || (given.has("--page") && unmeasured.length > 0)) Deno.exit(1);

function buildsOf({ builds }: Study): readonly Build[] {
  return builds ?? ["plain"];
}

function nameOf({ id }: Study, build: Build): string {
  return `${id} (${build})`;
}

/** Returns the studies and builds without a stored result. */
async function missingResults(): Promise<string[]> {
  const results = await readResults();
  return studies.flatMap((study) =>
    buildsOf(study)
      .filter((build) => !results.some((result) => result.study === study.id && result.build === build))
      .map((build) => nameOf(study, build))
  );
}

/** Runs a study, prints its figures and stores them. Returns false if it failed. */
async function measured(study: Study, build: Build): Promise<boolean> {
  const { title } = study;
  console.log(`\n${title}${study.builds ? `, ${build} build` : ""}`);
  const now = await currentCircumstances();
  const began = performance.now();
  const { success, stdout } = await childCommand(Deno.execPath(), {
    args: ["run", "-A", "--no-check", ...FLAGS[build], RUNNER, study.id, build],
    stdout: "piped",
    stderr: "inherit",
  }).output();
  if (!success) {
    console.error("  failed; an earlier result stays");
    return false;
  }
  const outcome: Outcome = JSON.parse(new TextDecoder().decode(stdout).trim().split("\n").at(-1)!);
  const seconds = (performance.now() - began) / 1000;
  await keepResult({ study: study.id, build, ...now, seconds, ...outcome });
  for (const figure of outcome.figures) console.log(`  ${formatFigure(figure)}`);
  console.log(`  (${seconds.toFixed(0)} s, load ${now.load})`);
  return true;
}
