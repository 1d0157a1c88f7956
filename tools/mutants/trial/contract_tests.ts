/**
 * Loads the contract tests as functions that run in this process, which is many times faster than a `deno test` per
 * mutant.
 */

/** One `Deno.test`. */
export interface TestFunction {
  readonly file: string;
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Tests that would detect a mutant by its code or gas instead of its behaviour. They must not count. */
const EXCLUDED_TEST_NAMES =
  /committed code|real keys|as written down|as committed|change no figure|filled in the worst way|verification alone|takes more gas|snapshot|code hash/;

/** The tests of the files that were loaded: a module registers its tests only once. */
const loaded = new Map<string, TestFunction[]>();

/** Loads test files and returns their tests, without those about code and gas. */
export async function loadTestFunctions(root: URL, files: readonly string[]): Promise<TestFunction[]> {
  const registered = Deno.test;
  for (const file of files) {
    if (loaded.has(file)) continue;
    const tests: TestFunction[] = [];
    loaded.set(file, tests);
    const register = (name: string, fn: (t: Deno.TestContext) => unknown) => {
      if (!EXCLUDED_TEST_NAMES.test(name)) {
        tests.push({
          file,
          name,
          run: async () => void await fn(context),
        });
      }
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
  return files.flatMap((file) => loaded.get(file)!);
}

/** Steps run in order; the first failure ends the test. */
const context = {
  step: async (first: unknown, second?: unknown) => {
    const fn = typeof first === "function" ? first : second ?? (first as Deno.TestStepDefinition).fn;
    await (fn as (t: unknown) => unknown)(context);
    return true;
  },
} as unknown as Deno.TestContext;

/** The tests that are closest to a source. They run first while no test has killed a mutant of the source. */
const CLOSEST_TESTS: readonly (readonly [RegExp, RegExp])[] = [
  [/\/v2\/(?:settlement|queue|roots|rewards)\.tolk$/, /settlement(?:_terms)?_test|v2\/jetton\/happy_test/],
  [/\/v2\/(?:comment|messages)\.tolk$/, /deposits_test|types_test|v2\/jetton\/attacks_test/],
  [/\/v2\/(?:jetton\/)?fees\w*\.tolk$/, /v2\/(?:jetton\/)?(?:quote|money)_test/],
  [/\/v2\/(?:jetton\/)?(?:storage|ledger)\.tolk$/, /money_test/],
  [/\/v2\/jetton\/claims_jetton\.tolk$/, /v2\/jetton\/claims_test/],
  [/\/v2\/jetton\/(?:deposits|pool)_jetton\.tolk$/, /v2\/jetton\/(?:happy|attacks|money)_test/],
  [/\/v2\/(?:withdraw_many|spent_set)\.tolk$/, /withdraw_many_test|spent_set_test/],
  [
    /\/v2\/pool(?:_native)?\.tolk$/,
    /v2\/(?:getters|payouts|settlement|withdraw|deposits|withdraw_many|rebuild|money)_test/,
  ],
  [/\/prices\.tolk$/, /quote_test|money_test|exact_charges_test/],
  [/\/pool_exits\.tolk$/, /proofs_test|malformed_test|rejections_test/],
  [/\/errors\.tolk$/, /rejections_test|discovery_test|admin_test|withdraw_test/],
  [/\/payouts_jetton\.tolk$/, /jetton\/(?:claims|forged_claims|exact_charges|due_storage|failed_sends)_test/],
  [/\/history\.tolk$/, /history_test|jetton\/claims_test/],
  [/\/set\.tolk$/, /\/set_test/],
  [/\/(?:claims|payouts_jetton|jetton)\.tolk$/, /jetton\/(?:claims|exact_charges|discovery)_test/],
  [/\/(?:bls|verifier_\w+)\.tolk$/, /proofs_test|jetton\/attacks_test/],
  [/\/fees\w*\.tolk$/, /quote_test|money_test|hazards_test|exact_charges_test/],
  [/\/messages\w*\.tolk$/, /types_test|malformed_test|(?:attacks|claims|discovery)_test/],
  [
    /\/pool\w*\.tolk$/,
    /order_test|rejections_test|admin_test|refused_deposits_test|withdraw_test|discovery_test/,
  ],
];

/** Returns whether the test file is one of those that are closest to the source. */
export function isClosest(source: string, testFile: string): boolean {
  return CLOSEST_TESTS.some(([of, tests]) => of.test(source) && tests.test(testFile));
}
