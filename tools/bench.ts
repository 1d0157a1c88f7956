/**
 * Measures what this product claims to be fast at, beside its peers, in one run. Ratios are what counts: absolute times
 * are this machine's of this minute. Every study runs in a process of its own; what it found is kept in
 * `docs/performance/results.json`, so that one can be measured again alone, and a run that was broken off goes on.
 *
 * Usage: deno task bench [--list] [--page] [--missing] [studies...]
 *   studies     those whose name contains one of these words; default: all
 *   --missing   those only that have no result yet
 *   --page      measures nothing, and writes docs/performance.md and its charts from what is kept
 *   --list      names the studies
 */
import { circumstances, keepResult, readResults } from "./bench/results.ts";
import { writePage } from "./bench/page.ts";
import { studies } from "./bench/studies.ts";
import type { Build, Outcome, Study } from "./bench/study.ts";
import { figureText } from "./bench/tables.ts";
import { readArguments } from "./flags.ts";

const RUNNER = new URL("bench/run_study.ts", import.meta.url).pathname;
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
const known = given.has("--missing") ? await readResults() : [];
let failed = 0;
for (const study of chosen) {
  for (const build of study.builds ?? ["plain"] as const) {
    if (known.some((result) => result.study === study.id && result.build === build)) continue;
    if (!await measured(study, build)) failed++;
  }
}
await writePage();
if (failed > 0) Deno.exit(1);

/** Runs a study, shows what it found and keeps it; false when it failed. */
async function measured(study: Study, build: Build): Promise<boolean> {
  const { title } = study;
  console.log(`\n${title}${study.builds ? `, ${build} build` : ""}`);
  const now = circumstances();
  const began = performance.now();
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
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
  for (const figure of outcome.figures) console.log(`  ${figureText(figure)}`);
  console.log(`  (${seconds.toFixed(0)} s, load ${now.load})`);
  return true;
}
