/** Measures which lines of `src/` each test file executes, so that a mutant is put before tests that reach its line. */
import { digestOf } from "../results.ts";
import { isMeantFor, reach, readImports } from "./test_selection.ts";
import type { MutationCopy } from "./trial.ts";

/** What a test file did on the unchanged sources. */
interface TestCoverage {
  /** Digest of the test and of all modules that it imports. */
  readonly digest: string;
  /** Whether it passed, in time. */
  readonly holds: boolean;
  readonly milliseconds: number;
  /** Executed lines, by source. */
  readonly lines: Readonly<Record<string, readonly number[]>>;
}

/** Coverage by path of the test file. */
export type Coverage = Map<string, TestCoverage>;

/** How many test files are put before a mutant at most. */
const MAX_TEST_FILES = 6;
/** Slower test files are ended and left out: with them, a survivor would take minutes. */
const MAX_TEST_SECONDS = 40;

/** Measures test files that changed since the cache was written, and writes the cache. */
export async function measureCoverage(
  root: URL,
  copy: MutationCopy,
  tests: readonly string[],
  cache: URL,
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
    if (known.get(test)?.digest === digest) continue;
    const measured = await measureOne(copy, test, digest);
    known.set(test, measured);
    const seconds = (measured.milliseconds / 1000).toFixed(1);
    console.error(
      `coverage ${i + 1}/${tests.length}: ${test}: ${measured.holds ? "" : "left out, "}${seconds} s`,
    );
    await Deno.writeTextFile(cache, JSON.stringify(Object.fromEntries(known)));
  }
  return new Map(tests.map((test) => [test, known.get(test)!]));
}

async function measureOne({ folder }: MutationCopy, test: string, digest: string): Promise<TestCoverage> {
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
  const { success: holds } = await run("timeout", [
    ...["--signal=KILL", String(MAX_TEST_SECONDS), Deno.execPath(), "test"],
    ...[...flags, test],
  ]);
  const milliseconds = Math.round(performance.now() - started);
  if (!holds) return { digest, holds, milliseconds, lines: {} };
  const { stdout } = await run(Deno.execPath(), ["coverage", "--lcov", data]);
  return { digest, holds, milliseconds, lines: parseLcov(new TextDecoder().decode(stdout), folder.pathname) };
}

/** Returns the executed lines of each source below `src/`. */
export function parseLcov(report: string, root: string): Record<string, number[]> {
  const lines: Record<string, number[]> = {};
  let source: number[] | undefined;
  for (const line of report.split("\n")) {
    if (line.startsWith("SF:")) {
      const path = line.slice(3).replace(root, "");
      source = path.startsWith("src/") ? lines[path] = [] : undefined;
    }
    const [, number, count] = /^DA:(\d+),(\d+)/.exec(line) ?? [];
    if (number !== undefined && count !== "0") source?.push(Number(number));
  }
  return lines;
}

/** Returns the test files that execute a mutant's line: the fastest, where those of the source's folder count double. */
export function coveringTests(
  coverage: Coverage,
  { file, line }: { readonly file: string; readonly line: number },
): string[] {
  const folder = file.slice(0, file.lastIndexOf("/") + 1);
  return [...coverage].filter(([path, { holds, lines }]) =>
    holds && lines[file]?.includes(line) && isMeantFor(path, file)
  )
    .map(([path, { milliseconds }]) =>
      [path.startsWith(folder) ? milliseconds / 4 : milliseconds, path] as const
    )
    .sort((a, b) => a[0] - b[0])
    .slice(0, MAX_TEST_FILES)
    .map(([, path]) => path);
}
