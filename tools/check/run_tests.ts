/**
 * Runs tests and ends with the plain line `N passed, N failed`. Tests that could not run on this machine are named as
 * skipped first; with `TONADO_REQUIRE_ALL=1`, which CI sets, they count as failures.
 *
 * Usage: deno task test:fast | test | test:all [files or folders] [flags for `deno test`]
 *
 * The folder of a test decides which task runs it, see {@linkcode sets}. Files or folders that are named run whatever
 * the task. `--junit-path=FILE` keeps the report.
 */
import { v8Flags } from "../v8_flags.ts";

const fast = ["src", "tools"];
const normal = ["support", "repository", "contracts", "circuits", "http", "cli", "e2e"]
  .map((folder) => `tests/${folder}`);

/** What each task runs. */
const sets: Readonly<Record<string, readonly string[]>> = {
  fast,
  normal: [...fast, ...normal],
  all: [...fast, "tests"],
};

const [set, ...given] = Deno.args;
if (!(set in sets)) {
  console.error(`Usage: tools/check/run_tests.ts ${Object.keys(sets).join("|")} [files or folders] [flags]`);
  Deno.exit(2);
}

const kept = given.find((arg) => arg.startsWith("--junit-path="))?.slice("--junit-path=".length);
const report = kept ?? await Deno.makeTempFile({ prefix: "tonado-test-", suffix: ".xml" });
const { code } = await new Deno.Command(Deno.execPath(), {
  args: [
    ...["test", "-A", "--no-check", "--parallel", ...await v8Flags(), `--junit-path=${report}`],
    ...given.filter((arg) => !arg.startsWith("--junit-path=")),
    ...await namesFiles(given) ? [] : sets[set],
  ],
  env: { DENO_JOBS: Deno.env.get("DENO_JOBS") ?? String(navigator.hardwareConcurrency + 1) },
  stdin: "null",
}).spawn().status;

const xml = await Deno.readTextFile(report).catch(() => "");
if (kept === undefined) await Deno.remove(report).catch(() => {});

const cases = [...xml.matchAll(/<testcase name="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g)]
  .map(([, name, inner = ""]) => ({
    name: unescapeXml(name),
    skipped: /<skipped/.test(inner),
    failed: /<(failure|error)/.test(inner),
  }));
const skipped = cases.filter((test) => test.skipped);
const mustRun = Deno.env.get("TONADO_REQUIRE_ALL") === "1";
const refused = mustRun ? skipped.length : 0;
let failed = cases.filter((test) => test.failed).length + refused;
if (code !== 0 && failed === 0) failed = 1; // a module that did not load, or a run that was cut off
const passed = cases.filter((test) => !test.skipped && !test.failed).length;
if (passed === 0 && failed === 0) failed = 1; // a run without a test proves nothing

for (const { name } of skipped) console.log(`${mustRun ? "required but skipped" : "skipped"}: ${name}`);
if (skipped.length > refused) console.log(`${skipped.length} skipped, named above`);
console.log(`${passed} passed, ${failed} failed`);
Deno.exit(failed > 0 ? 1 : 0);

/** Whether an argument is a file or folder; others are flags and their values. */
async function namesFiles(args: readonly string[]): Promise<boolean> {
  const found = await Promise.all(args.map((arg) => Deno.stat(arg).then(() => true, () => false)));
  return found.includes(true);
}

function unescapeXml(text: string): string {
  const entities: Record<string, string> = { quot: '"', apos: "'", lt: "<", gt: ">", amp: "&" };
  return text.replace(/&(quot|apos|lt|gt|amp);/g, (_, name: string) => entities[name]);
}
