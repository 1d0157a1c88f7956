/**
 * Runs tests and prints `N passed, N failed` as the last line. Tests that cannot run on this machine are listed as
 * skipped. With `TONADO_REQUIRE_ALL=1`, which CI sets, they count as failures.
 *
 * Usage: deno task test:fast | test | test:slow | test:app | test:all [files or folders] [flags for `deno test`]
 *
 * The folder of a test decides which task runs it, see {@linkcode sets}. Named files or folders run in every task.
 * `--junit-path=FILE` keeps the report.
 */
import { v8Flags } from "../../testkit/toolchain/v8_flags.ts";

const fast = ["src", "tools"];
const normal = [
  "testkit",
  ...["repository", "contracts", "circuits", "http", "cli", "e2e"].map((folder) => `tests/${folder}`),
];

/** Left out unless all tests run, because they take minutes: mutants put before contract tests, and version 2 pools. */
const SLOW_TESTS = ["tools/mutants/tolk/worker_test.ts", "tests/contracts/v2"];

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
  normal: [...fast, ...normal],
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
const junitPath = given.find((arg) => arg.startsWith("--junit-path="))?.slice("--junit-path=".length);
const report = junitPath ?? await Deno.makeTempFile({ prefix: "tonado-test-", suffix: ".xml" });
const { code } = await new Deno.Command(Deno.execPath(), {
  args: [
    ...["test", "-A", "--no-check", "--parallel", ...await v8Flags(), `--junit-path=${report}`],
    ...given.filter((arg) => !arg.startsWith("--junit-path=")),
    ...await namesFiles(given)
      ? []
      : leavesOut
      ? sets[set].flatMap((folder) => filesWithout(SLOW_TESTS, folder))
      : sets[set],
  ],
  env: { DENO_JOBS: Deno.env.get("DENO_JOBS") ?? String(navigator.hardwareConcurrency + spareJobs) },
  stdin: "null",
}).spawn().status;

const xml = await Deno.readTextFile(report).catch(() => "");
if (junitPath === undefined) await Deno.remove(report).catch(() => {});

const cases = [...xml.matchAll(/<testcase name="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g)]
  .map(([, name, inner = ""]) => ({
    name: unescapeXml(name),
    skipped: /<skipped/.test(inner),
    failed: /<(failure|error)/.test(inner),
  }));
const skipped = cases.filter((test) => test.skipped);
const mustRun = Deno.env.get("TONADO_REQUIRE_ALL") === "1";
const disallowed = mustRun ? skipped.length : 0;
let failed = cases.filter((test) => test.failed).length + disallowed;
if (code !== 0 && failed === 0) failed = 1; // a module failed to load, or the run was interrupted
const passed = cases.filter((test) => !test.skipped && !test.failed).length;
if (passed === 0 && failed === 0) failed = 1; // a run without tests is an error

for (const { name } of skipped) console.log(`${mustRun ? "required but skipped" : "skipped"}: ${name}`);
if (skipped.length > disallowed) console.log(`${skipped.length} skipped, listed above`);
console.log(`${passed} passed, ${failed} failed`);
Deno.exit(failed > 0 ? 1 : 0);

/** Returns the folder, or the tests and folders in it if one of `omitted` is among them: `--ignore` omits no named folder. */
function filesWithout(omitted: readonly string[], folder: string): string[] {
  if (!omitted.some((path) => path.startsWith(`${folder}/`))) return [folder];
  return [...Deno.readDirSync(folder)].map(({ name, isDirectory }) => ({
    path: `${folder}/${name}`,
    isDirectory,
  }))
    .filter(({ path, isDirectory }) => !omitted.includes(path) && (isDirectory || path.endsWith("_test.ts")))
    .flatMap(({ path, isDirectory }) => isDirectory ? filesWithout(omitted, path) : [path]);
}

/** Returns whether any argument is an existing file or folder. */
async function namesFiles(args: readonly string[]): Promise<boolean> {
  const exists = await Promise.all(args.map((arg) => Deno.stat(arg).then(() => true, () => false)));
  return exists.includes(true);
}

function unescapeXml(text: string): string {
  const entities: Record<string, string> = { quot: '"', apos: "'", lt: "<", gt: ">", amp: "&" };
  return text.replace(/&(quot|apos|lt|gt|amp);/g, (_, name: string) => entities[name]);
}
