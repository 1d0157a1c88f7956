/**
 * The contract tests as functions: their files are loaded once and their claims run in this process as often as wanted,
 * which is many times faster than a `deno test` for each mutant.
 */

/** One `Deno.test`. */
export interface Claim {
  readonly file: string;
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Claims that would tell a mutant by its code or its gas and not by what it does; they must kill nothing. */
const NOT_BEHAVIOUR =
  /committed code|real keys|as written down|as committed|change no figure|filled in the worst way|verification alone|takes more gas|snapshot|code hash/;

/** Files whose claims are about committed figures, and what documents and TypeScript say of the contracts. */
const ABOUT_TEXT = /\/(?:limits|spec|constants|gas_snapshot)_test\.ts$/;

/** Loads test files and gives what they register, but for claims about code and gas. */
export async function loadClaims(root: URL, files: readonly string[]): Promise<Claim[]> {
  const claims: Claim[] = [];
  const registered = Deno.test;
  for (const file of files) {
    const register = (name: string, fn: (t: Deno.TestContext) => unknown) => {
      if (!NOT_BEHAVIOUR.test(name)) claims.push({ file, name, run: async () => void await fn(context) });
    };
    Object.assign(Deno, {
      test: (first: string | Deno.TestDefinition, second?: unknown, third?: unknown) => {
        if (typeof first !== "string") return first.ignore || register(first.name, first.fn);
        register(first, (third ?? second) as (t: Deno.TestContext) => unknown);
      },
    });
    await import(new URL(file, root).href);
  }
  Object.assign(Deno, { test: registered });
  return claims;
}

/** Steps are run as they come; the first that fails ends its claim. */
const context = {
  step: async (first: unknown, second?: unknown) => {
    const fn = typeof first === "function" ? first : second ?? (first as Deno.TestStepDefinition).fn;
    await (fn as (t: unknown) => unknown)(context);
    return true;
  },
} as unknown as Deno.TestContext;

/** Folders of the contracts' tests, from the root of the repository. */
const FOLDERS = ["tests/contracts/", "tests/gas/", "tests/models/contracts/"];

/** Returns the test files of a pool: those with "jetton" in their name test the jetton pool. */
export function testFiles(root: URL, pool: Pool): string[] {
  return FOLDERS.flatMap((folder) =>
    [...Deno.readDirSync(new URL(folder, root))]
      .map(({ name }) => name)
      .filter((name) =>
        name.endsWith("_test.ts") && !ABOUT_TEXT.test(`/${name}`) &&
        name.includes("jetton") === (pool === "jetton")
      )
      .map((name) => `${folder}${name}`)
  ).sort();
}

export const pools = ["native", "jetton"] as const;
export type Pool = typeof pools[number];
