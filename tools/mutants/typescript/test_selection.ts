/** Finds the tests that mutants of `src/` are put before, and orders them. */

/** Folders of tests that take minutes, run the program as a whole, or compare documents. */
const EXCLUDED =
  /^tests\/(?:reliability\/(?!simulation\/)|(?:compiled|npm|guides|processes|repository|gas|circuits|models|contracts|e2e)\/)/;

/** Relative imports, dynamic imports, and modules that are started as workers. */
const IMPORTS = /(?:\bfrom |\bimport\(?|\bnew URL\(\s*)\s*"(\.[^"\n]+\.ts)"/g;

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

/** The sources that slower tests are meant for. Tests of whole commands would otherwise run for every mutant. */
const AREAS: readonly (readonly [tests: RegExp, sources: RegExp])[] = [
  [/^tests\/app\/serving_/, /^src\/(?:app|http\/app)\//],
  [/^tests\/app\//, /^src\/app\//],
  [
    /^tests\/ceremony\//,
    /^src\/(?:ops\/(?:ceremony|keys)|cli\/commands\/ceremony|cli\/output\/ceremony_view)\b/,
  ],
  [/^tests\/cli\/store\//, /^src\/(?:cli\/|ops\/(?!ceremony)|store\/)/],
  [/^tests\/cli\/note\//, /^src\/(?:cli|config)\//],
  [/^tests\/cli\//, /^src\/(?:cli\/|ops\/(?!ceremony))/],
  [/^tests\/http\//, /^src\/(?:http|relay)\//],
  [/^tests\/reliability\//, /^src\/(?:relay|store)\//],
  [/^tests\/integration\/ops\/store_/, /^src\/store\//],
  [/^tests\/integration\/(?:localnet|ops|prover|relay|store|ton|tree|config)\//, /(?!)/],
];

/** Returns whether a test may be put before mutants of a source. */
export function isMeantFor(test: string, source: string): boolean {
  const area = /^tests\/integration\/(\w+)\//.exec(test)?.[1];
  if (area !== undefined && source.startsWith(`src/${area}/`)) return true;
  const sources = AREAS.find(([tests]) => tests.test(test))?.[1];
  return sources === undefined || sources.test(source);
}

/** Returns whether a test lies below src/, or among the slower tests that are meant for a source. */
export function isNear(test: string, source: string): boolean {
  const area = AREAS.find(([tests, sources]) => tests.test(test) && sources.test(source));
  const integration = /^tests\/integration\/(\w+\/)/.exec(test)?.[1];
  return test.startsWith("src/") || area !== undefined ||
    (integration !== undefined && source.startsWith(`src/${integration}`));
}

/** Returns the test files that may kill mutants of these sources. */
export async function listTests(root: URL, sources: ReadonlySet<string>): Promise<string[]> {
  const imports = await readImports(root, ["src/", "tests/", "testkit/"]);
  return [...imports.keys()].filter((path) =>
    path.endsWith("_test.ts") && !EXCLUDED.test(path) &&
    [...reach(imports, path).keys()].some((source) => sources.has(source) && isMeantFor(path, source))
  ).sort();
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
  passesUnchanged: boolean | undefined;
  /** Number of mutants that it killed, by source. */
  readonly kills: Map<string, number>;
}

/** Orders test files by kills per time. Before anything is known, the given order counts. */
export function rankTestFiles(tests: readonly TestFile[], source: string): TestFile[] {
  const worth = ({ kills, milliseconds }: TestFile, i: number) =>
    ((kills.get(source) ?? 0) * 10 + 3 / (i + 1)) / (milliseconds + 1000);
  return tests.map((test, i) => [worth(test, i), test] as const)
    .sort(([a], [b]) => b - a)
    .map(([, test]) => test);
}
