/** Measures which lines of `src/` each test file executes, so that a mutant is put before tests that reach its line. */
import { digestOf } from "../results.ts";
import { isMeantFor, reach, readImports } from "./test_selection.ts";
import type { MutationCopy } from "./trial.ts";

/** What a test file did on the unchanged sources. */
interface TestCoverage {
  /** Digest of the test and of all modules that it imports. */
  readonly digest: string;
  /** Whether it passed, in time. */
  readonly passesUnchanged: boolean;
  readonly milliseconds: number;
  /** Lines that it reached, by source; negative if Deno reports the line as not executed. */
  readonly lines: Readonly<Record<string, readonly number[]>>;
}

/** Coverage by path of the test file. */
export type Coverage = Map<string, TestCoverage>;

/** How many test files are put before a mutant at most. */
const MAX_TEST_FILES = 10;

/**
 * Measures test files that changed since the cache was written, and writes the cache.
 *
 * @param maxSeconds slower test files are ended and left out: with them, a survivor would take minutes
 */
export async function measureCoverage(
  root: URL,
  copy: MutationCopy,
  tests: readonly string[],
  cache: URL,
  maxSeconds: number,
): Promise<Coverage> {
  const known = new Map(
    Object.entries<TestCoverage>(JSON.parse(await Deno.readTextFile(cache).catch(() => "{}"))),
  );
  const imports = await readImports(root, ["src/", "tests/", "testkit/"]);
  for (const [i, test] of tests.entries()) {
    const digest = await digestOf(
      root,
      [test, ...reach(imports, test).keys()].filter((path) => imports.has(path)),
    );
    const earlier = known.get(test);
    const isKnown = earlier?.digest === digest &&
      (earlier.passesUnchanged || earlier.milliseconds >= 900 * maxSeconds);
    if (isKnown) continue;
    const measured = await measureOne(copy, test, digest, maxSeconds);
    known.set(test, measured);
    const seconds = (measured.milliseconds / 1000).toFixed(1);
    console.error(
      `coverage ${i + 1}/${tests.length}: ${test}: ${
        measured.passesUnchanged ? "" : "left out, "
      }${seconds} s`,
    );
    await Deno.writeTextFile(cache, JSON.stringify(Object.fromEntries(known)));
  }
  return new Map(tests.map((test) => [test, known.get(test)!]));
}

async function measureOne(
  { folder }: MutationCopy,
  test: string,
  digest: string,
  maxSeconds: number,
): Promise<TestCoverage> {
  const data = new URL("coverage/", folder).pathname;
  await Deno.remove(data, { recursive: true }).catch(() => {});
  const run = (command: string, args: readonly string[]) =>
    new Deno.Command(command, {
      args: [...args],
      cwd: folder,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    })
      .output();
  const started = performance.now();
  const flags = ["-A", "--no-check", `--coverage=${data}`, "--coverage-raw-data-only"];
  const { success: passesUnchanged } = await run("timeout", [
    ...["--signal=KILL", String(maxSeconds), Deno.execPath(), "test"],
    ...[...flags, test],
  ]);
  const milliseconds = Math.round(performance.now() - started);
  if (!passesUnchanged) return { digest, passesUnchanged, milliseconds, lines: {} };
  const { success: isReported, stdout } = await run(Deno.execPath(), ["coverage", "--lcov", data]);
  if (!isReported) return { digest, passesUnchanged: false, milliseconds, lines: {} };
  const textOf = (path: string) => Deno.readTextFileSync(new URL(path, folder)).split("\n");
  const lines = parseLcov(new TextDecoder().decode(stdout), folder.pathname, textOf);
  return { digest, passesUnchanged, milliseconds, lines };
}

/**
 * Returns the lines of each source below `src/` that were reached.
 * @param textOf the lines of a source
 */
export function parseLcov(
  report: string,
  root: string,
  textOf: (path: string) => readonly string[],
): Record<string, number[]> {
  const lines: Record<string, number[]> = {};
  for (const record of report.split("end_of_record")) {
    const path = /^SF:(.*)$/m.exec(record)?.[1].replace(root, "");
    if (!path?.startsWith("src/")) continue;
    const counts = [...record.matchAll(/^DA:(\d+),(\d+)/gm)].map((
      [, line, count],
    ) => [Number(line), Number(count)]);
    lines[path] = reachedLines(counts, textOf(path));
  }
  return lines;
}

/**
 * Deno counts a line as not executed if any branch on it was not taken, as in `if (x) return;`. Such a line was reached if
 * the one before it was, unless that one opens the block that was not taken.
 */
function reachedLines(counts: readonly number[][], text: readonly string[]): number[] {
  const reached: number[] = [];
  let isReached = false;
  let opensBlock = false;
  for (const [line, count] of counts) {
    isReached = count > 0 || (isReached && !opensBlock);
    if (isReached) reached.push(count > 0 ? line : -line);
    opensBlock = count === 0 && text[line - 1].endsWith("{");
  }
  return reached;
}

/**
 * Returns the test files that execute a mutant's line: the fastest, and earlier those of the source's folder, its
 * integration tests, and those named like the source. The latter matter for a constant, which each test that imports the module executes. Tests that
 * only may have reached the line come last.
 */
export function coveringTests(
  coverage: Coverage,
  { file, line }: { readonly file: string; readonly line: number },
): string[] {
  const slash = file.lastIndexOf("/") + 1;
  const [folder, name] = [file.slice(0, slash), file.slice(slash, -".ts".length)];
  // Otherwise ten faster tests that only import a constant's module would leave no place for them.
  const integration = `tests/integration/${file.split("/")[1]}/`;
  const weight = (path: string, isCertain: boolean) =>
    (path.startsWith(folder) ? 0.25 : path.startsWith(integration) ? 0.02 : 1) *
    (path.slice(path.lastIndexOf("/")).includes(name) ? 0.1 : 1) *
    (isCertain ? 1 : 20);
  return [...coverage].filter(([path, { passesUnchanged, lines }]) =>
    passesUnchanged && lines[file]?.some((each) => Math.abs(each) === line) && isMeantFor(path, file)
  )
    .map(([path, { milliseconds, lines }]) =>
      [milliseconds * weight(path, lines[file].includes(line)), path] as const
    )
    .sort((a, b) => a[0] - b[0])
    .slice(0, MAX_TEST_FILES)
    .map(([, path]) => path);
}
