/**
 * The contracts that are mutated: the four pools, and the helper that thaws a frozen pool. For each, the sources that it
 * is compiled from, and the tests that run on it.
 */

/** The entry source of each contract. */
export const poolEntries = {
  "native": "contracts/v1/pool_native.tolk",
  "jetton": "contracts/v1/jetton/pool_jetton.tolk",
  "native-v2": "contracts/v2/pool_native.tolk",
  "jetton-v2": "contracts/v2/jetton/pool_jetton.tolk",
  "rescue": "contracts/shared/rescue.tolk",
} as const;

export type PoolKind = keyof typeof poolEntries;

/** All contracts, in the order in which a mutant of a source that they share is tested. */
export const poolKinds = Object.keys(poolEntries) as PoolKind[];

/** Returns each source that a pool is compiled from, by path from the repository's root, with its pools. */
export function readSources(root: URL): Map<string, PoolKind[]> {
  const pools = new Map<string, PoolKind[]>();
  for (const pool of poolKinds) {
    for (const path of withImports(root, [poolEntries[pool]], /^contracts\//, importedSources)) {
      if (path.endsWith("zeros.tolk")) continue; // has its own test (`deno task zeros --check`)
      pools.set(path, [...pools.get(path) ?? [], pool]);
    }
  }
  return new Map([...pools].sort(([a], [b]) => a < b ? -1 : 1));
}

/** Returns these files and all that they import, directly or not, in some folders. */
function withImports(
  root: URL,
  paths: readonly string[],
  folders: RegExp,
  importsOf: (text: string) => string[],
): Set<string> {
  const found = new Set(paths);
  for (const path of found) { // a Set yields what is added during the iteration
    const file = new URL(path, root);
    for (const imported of importsOf(Deno.readTextFileSync(file))) {
      const path = new URL(imported, file).href.slice(root.href.length);
      if (folders.test(path)) found.add(path);
    }
  }
  return found;
}

/** Returns what a Tolk source imports, without the standard library. */
function importedSources(text: string): string[] {
  return [...text.matchAll(/^import "([^@"][^"]*)"/gm)].map(([, name]) => `${name}.tolk`);
}

/** Files that test committed figures, documents, or constants in TypeScript. */
const EXCLUDED_FILES = /\/(?:limits|spec|constants|gas_snapshot|v2\/gas)_test\.ts$/;

/** Imports of modules of tests/ and testkit/, and modules that are started as workers. */
const TEST_IMPORTS = /(?:\bfrom |\bimport\(?|\bnew URL\(\s*)\s*"(\.[^"\n]*\.ts)"/g;

/** Tests of the helper that thaws a frozen pool. */
const RESCUE_TESTS = /\/rescue_test\.ts$/;

/** Folders of the contract tests, from the repository's root. */
const TEST_FOLDERS = ["tests/contracts/", "tests/gas/", "tests/models/contracts/"];

/**
 * Returns the test files of a contract. A path tells the version by "v2" and the kind by "jetton"; a test without "jetton"
 * in its path that imports the kind's sandbox tests both kinds.
 */
export function testFiles(root: URL, pool: PoolKind): string[] {
  const files = TEST_FOLDERS.flatMap((folder) => filesBelow(root, folder))
    .filter((path) => path.endsWith("_test.ts") && !EXCLUDED_FILES.test(path))
    .filter((path) => RESCUE_TESTS.test(path) === (pool === "rescue"))
    .sort();
  if (pool === "rescue") return files;
  const isVersion2 = pool.endsWith("-v2");
  const isJetton = pool.startsWith("jetton");
  const testsKind = (path: string) => {
    if (!isJetton || path.includes("jetton")) return isJetton === path.includes("jetton");
    return Deno.readTextFileSync(new URL(path, root)).includes("jetton_sandbox");
  };
  return files.filter((path) => /\/v2[/_]/.test(path) === isVersion2 && testsKind(path));
}

/** Returns a contract's test files, and the modules of tests/ and testkit/ that they import, directly or not. */
export function testModules(root: URL, pool: PoolKind): Set<string> {
  return withImports(
    root,
    testFiles(root, pool),
    /^test(?:s|kit)\//,
    (text) => [...text.matchAll(TEST_IMPORTS)].map(([, path]) => path),
  );
}

function filesBelow(root: URL, folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, root))].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(root, `${folder}${name}/`) : [`${folder}${name}`]
  );
}
