/** Chooses the tests that a source's mutants are put before: those that import it, the nearest first. */

/** Folders of tests that take minutes, run the program as a whole, or compare documents. */
const EXCLUDED =
  /^tests\/(?:reliability\/(?!simulation\/)|(?:compiled|npm|guides|processes|repository|gas|circuits|models|contracts|e2e)\/)/;

/** Relative imports, dynamic imports, and modules that are started as workers. */
const IMPORTS = /(?:\bfrom |\bimport\(?|\bnew URL\(\s*)\s*"(\.[^"\n]+\.ts)"/g;

/** The distance of each source from each test file, in imports. */
export type TestDistances = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Returns the TypeScript files below a folder, as sorted paths from the root. */
export async function listTypeScriptFiles(root: URL, folder: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (isDirectory) paths.push(...await listTypeScriptFiles(root, `${folder}${name}/`));
    else if (name.endsWith(".ts")) paths.push(`${folder}${name}`);
  }
  return paths.sort();
}

/** Returns what each TypeScript file of these folders imports, as paths from the root. */
export async function readImports(
  root: URL,
  folders: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const paths = (await Promise.all(folders.map((folder) => listTypeScriptFiles(root, folder)))).flat();
  return new Map(
    await Promise.all(paths.map(async (path) => {
      const text = await Deno.readTextFile(new URL(path, root));
      const found = [...text.matchAll(IMPORTS)].map(([, to]) =>
        new URL(to, `file:///${path}`).pathname.slice(1)
      );
      return [path, [...new Set(found)]] as const;
    })),
  );
}

/** Reads the imports of all sources and tests, and returns for each source the tests that reach it. */
export async function measureTestDistances(root: URL): Promise<TestDistances> {
  const imports = await readImports(root, ["src/", "tests/", "testkit/"]);
  const distances = new Map<string, Map<string, number>>();
  for (const test of imports.keys()) {
    if (!test.endsWith("_test.ts") || EXCLUDED.test(test)) continue;
    for (const [source, distance] of reach(imports, test)) {
      if (!source.startsWith("src/")) continue;
      const tests = distances.get(source) ?? new Map<string, number>();
      distances.set(source, tests.set(test, distance));
    }
  }
  return distances;
}

/** Returns the modules that `start` imports, directly or not, with their distance. */
export function reach(imports: ReadonlyMap<string, readonly string[]>, start: string): Map<string, number> {
  const found = new Map([[start, 0]]);
  for (const [path, distance] of found) { // a Map yields what is added during the iteration
    for (const next of imports.get(path) ?? []) {
      if (!found.has(next)) found.set(next, distance + 1);
    }
  }
  found.delete(start);
  return found;
}

/** What is known of a test file in this run. */
export interface TestFile {
  readonly path: string;
  /** How long its last run took, in milliseconds. */
  milliseconds: number;
  /** Whether it passes on the unchanged sources, if known. */
  holds: boolean | undefined;
  /** Number of mutants that it killed, by source. */
  readonly kills: Map<string, number>;
}

/** How many test files are put before a mutant at most. */
export const MAX_TEST_FILES = 6;

/**
 * Returns the names of the nearest tests: by distance, where a test in the source's own folder, or with words of the
 * source's path in its own, counts as nearer.
 */
export function nearestTests(distances: TestDistances, source: string): string[] {
  const folder = source.slice(0, source.lastIndexOf("/") + 1);
  const words = wordsOf(source);
  const rank = ([path, distance]: readonly [string, number]) =>
    distance - 2 * wordsOf(path).intersection(words).size - (path.startsWith(folder) ? 10 : 0);
  return [...distances.get(source) ?? []]
    // Tests of the whole program take minutes.
    .filter(([path]) => words.has("ceremony") || !path.includes("ceremony"))
    .filter(([path]) => /^src\/(?:cli|ops)\//.test(source) || !path.startsWith("tests/cli/"))
    .map((each) => [rank(each), each[0]] as const)
    .sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1))
    .slice(0, MAX_TEST_FILES)
    .map(([, path]) => path);
}

function wordsOf(path: string): Set<string> {
  return new Set(
    path.split(/[/_.]/).filter((word) => !/^(?:src|tests|integration|commands|test|ts)$/.test(word)),
  );
}

/** Orders test files by kills per time. Before anything is known, the nearest come first. */
export function rankTestFiles(tests: readonly TestFile[], source: string): TestFile[] {
  const worth = ({ kills, milliseconds }: TestFile, i: number) =>
    ((kills.get(source) ?? 0) * 10 + 3 / (i + 1)) / (milliseconds + 1000);
  return tests.map((test, i) => [worth(test, i), test] as const)
    .sort(([a], [b]) => b - a)
    .map(([, test]) => test);
}
