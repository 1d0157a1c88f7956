/**
 * Runs each test file in a process of its own, several at once. Prints one line for each file, the output of those that
 * failed, and as the last line `N passed, N failed`. Tests that cannot run on this machine are listed as skipped. With
 * `TONADO_REQUIRE_ALL=1`, which CI sets, they count as failures.
 *
 * `deno test --parallel` runs the files in threads of one process, which took 1.8 times the processor time.
 *
 * Usage: deno task test:fast | test | test:slow | test:app | test:all [files or folders] [flags for `deno test`]
 *
 * The folder of a test decides which task runs it, see {@linkcode sets}. Named files or folders run in every task. A flag
 * and its value are one word (`--filter=name`). `DENO_JOBS` is the number of files that run at once.
 */
import { v8Flags } from "../../testkit/toolchain/v8_flags.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

const fast = ["src", "tools"];
/** Slow files come first, so that the run does not end with one of them alone. */
const normal = [
  ...["e2e", "cli", "contracts", "circuits", "http", "repository"].map((folder) => `tests/${folder}`),
  "testkit",
];

/** Left out unless all tests run, because they take minutes: mutants put before contract tests, and version 2 pools. */
const SLOW_TESTS = ["tools/mutants/trial/worker_test.ts", "tests/contracts/v2"];

/** Files and folders that only `test:app` and `test:all` run: each file keeps a browser busy for up to two minutes, and CI has 40 in all. */
const BROWSER_TESTS = [
  "tests/app/faults",
  "tests/app/kills",
  ...["deposit", "keyboard", "language", "session", "settings", "settle", "task", "vault", "waiting"].map((
    name,
  ) => `tests/app/screens/${name}_test.ts`),
  ...["artifacts", "command_line", "paper", "passphrase", "relayer", "wallet"].map((name) =>
    `tests/app/${name}_test.ts`
  ),
];

/** The folders of `tests/` that `normal` leaves out. */
const slow = [...Deno.readDirSync("tests")].map(({ name }) => `tests/${name}`).filter((path) =>
  !normal.includes(path)
);

/** The folders that each task runs. */
const sets: Readonly<Record<string, readonly string[]>> = {
  fast,
  normal: [...normal, ...fast],
  slow: [...slow.flatMap((folder) => filesWithout(BROWSER_TESTS, folder)), ...SLOW_TESTS],
  app: ["tests/app"],
  all: [...fast, "testkit", "tests"],
};

const [set, ...given] = Deno.args;
if (!(set in sets)) {
  console.error(`Usage: tools/check/run_tests.ts ${Object.keys(sets).join("|")} [files or folders] [flags]`);
  Deno.exit(2);
}

/** Tests wait, and the slow ones for seconds. */
const spareJobs = set === "slow" ? 3 : 1;
const leavesOut = set === "fast" || set === "normal";
const paths = given.filter((arg) => !arg.startsWith("-"));
const flags = [...await v8Flags(), ...given.filter((arg) => arg.startsWith("-"))];
const files = [
  ...new Set(
    paths.length === 0
      ? sets[set].flatMap((path) => filesWithout(leavesOut ? SLOW_TESTS : [], path))
      : paths.flatMap(namedFiles),
  ),
];
const folder = await Deno.makeTempDir({ prefix: "tonado-tests-" });
const queue = files.entries();
const jobs = Number(Deno.env.get("DENO_JOBS")) || navigator.hardwareConcurrency + spareJobs;
/** Then the report calls tests skipped that the filter leaves out. */
const isFiltered = flags.some((flag) => flag.startsWith("--filter"));
const results: TestResult[] = [];
Deno.addSignalListener("SIGINT", () => {
  Deno.removeSync(folder, { recursive: true });
  Deno.exit(130);
});
await Promise.all(Array.from({ length: jobs }, async () => {
  for (const [index, file] of queue) results.push(...await testFile(file, `${folder}/${index}.xml`));
}));
await Deno.remove(folder, { recursive: true });

const mustRun = Deno.env.get("TONADO_REQUIRE_ALL") === "1";
const counts = { passed: 0, failed: 0, skipped: 0 };
for (const { file, name, outcome } of results) {
  counts[outcome === "skipped" && mustRun ? "failed" : outcome]++;
  if (outcome === "failed") console.log(`failed: ${file}: ${name}`);
  if (outcome === "skipped") console.log(`${mustRun ? "required but skipped" : "skipped"}: ${file}: ${name}`);
}
if (counts.skipped > 0) console.log(`${counts.skipped} skipped, listed above`);
const isEmpty = counts.passed + counts.failed === 0;
if (isEmpty) console.log("No test ran.");
console.log(`${counts.passed} passed, ${counts.failed} failed`);
Deno.exit(counts.failed > 0 || isEmpty ? 1 : 0);

interface TestResult {
  readonly file: string;
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
}

/** Runs one test file, prints its line, and its output if it failed. */
async function testFile(file: string, report: string): Promise<TestResult[]> {
  const began = performance.now();
  const { code, stdout } = await childCommand("sh", {
    // One stream, so that the lines keep their order.
    args: [
      "-c",
      'exec "$@" 2>&1',
      "sh",
      Deno.execPath(),
      "test",
      "-A",
      "--no-check",
      `--junit-path=${report}`,
      ...flags,
      file,
    ],
    env: { TONADO_TEST_STATES: folder }, // see testkit/localnet/test_localnet.ts
    stdin: "null",
  }).output();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const tests = resultsIn(file, await Deno.readTextFile(report).catch(() => ""));
  if (code === 0 && tests.length === 0 && !isFiltered) {
    tests.push({ file, name: "has no test, or ended before its tests", outcome: "failed" });
  }
  if (code !== 0 && !tests.some(({ outcome }) => outcome === "failed")) {
    tests.push({ file, name: `ended with code ${code}`, outcome: "failed" }); // it did not load, or was interrupted
  }
  const of = (outcome: TestResult["outcome"]) => tests.filter((test) => test.outcome === outcome).length;
  const skipped = of("skipped") === 0 ? "" : `, ${of("skipped")} skipped`;
  if (code !== 0) console.log(new TextDecoder().decode(stdout));
  console.log(`${file}: ${of("passed")} passed, ${of("failed")} failed${skipped} (${seconds} s)`);
  return tests;
}

/** Reads the tests of a file in the report that `deno test` wrote. */
function resultsIn(file: string, xml: string): TestResult[] {
  return [...xml.matchAll(/<testcase name="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g)]
    .map(([, name, inner = ""]) => ({
      file,
      name: unescapeXml(name),
      outcome: /<(failure|error)/.test(inner) ? "failed" : /<skipped/.test(inner) ? "skipped" : "passed",
    } as const)).filter(({ outcome }) => !isFiltered || outcome !== "skipped");
}

/** Returns the test files in a folder, or the file itself, without those among or below `omitted`. */
function filesWithout(omitted: readonly string[], path: string): string[] {
  if (omitted.includes(path)) return [];
  if (!Deno.statSync(path).isDirectory) return path.endsWith("_test.ts") ? [path] : [];
  return [...Deno.readDirSync(path)]
    .filter(({ name, isDirectory }) => isDirectory ? name !== "node_modules" : name.endsWith("_test.ts"))
    .map(({ name }) => `${path}/${name}`).sort()
    .flatMap((inner) => filesWithout(omitted, inner));
}

/** Returns the test files that an argument names. Ends the program if there are none. */
function namedFiles(argument: string): string[] {
  const path = argument.replace(/^\.\//, "").replace(/\/+$/, "");
  try {
    const files = filesWithout([], path);
    if (files.length > 0) return files;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  console.error(`There is no test in ${argument}.`);
  return Deno.exit(2);
}

function unescapeXml(text: string): string {
  const entities: Record<string, string> = { quot: '"', apos: "'", lt: "<", gt: ">", amp: "&" };
  return text.replace(/&(quot|apos|lt|gt|amp);/g, (_, name: string) => entities[name]);
}
