/** Tries a mutant: compiles it, skips it if its code is known, and runs tests until one fails. */
import type { Mutant } from "../operators.ts";
import { isClosest } from "./contract_tests.ts";
import type { PoolKind } from "./pools.ts";
import { type WorkerClient, WorkerTimeout } from "./worker_client.ts";

/**
 * `same`: compiles to the same code as the source or an earlier mutant; `refused`: does not compile. Neither counts.
 */
export type Verdict = "killed" | "survived" | "same" | "refused";

export interface TrialResult {
  readonly verdict: Verdict;
  /** The test that killed it. */
  readonly by?: string;
  /** Whether the budget ended before all tests had run. */
  readonly cutShort?: true;
}

/** A pool's tests in a run, with their records. */
export interface PoolTrial {
  readonly pool: PoolKind;
  /** Hash of the unchanged code. */
  readonly hash: string;
  readonly tests: readonly TestRecord[];
}

export interface TestRecord {
  readonly index: number;
  readonly file: string;
  readonly name: string;
  /** Duration of its last run. */
  milliseconds: number;
  /** Whether it passes on the unchanged sources, if known. A test that fails there kills nothing. */
  passesUnchanged: boolean | undefined;
  /** Number of mutants that it killed, by file and by digest of the mutated declaration. */
  readonly kills: Map<string, number>;
}

/** Returns whether a test's file or name contains one of the hint's parts. */
function isHinted({ file, name }: TestRecord, hint: string | undefined): boolean {
  return hint?.split("|").some((part) => `${file}: ${name}`.includes(part)) ?? false;
}

/**
 * Orders tests by kills per time. Those of mutants of the same declaration count most. Tests whose file or name contains
 * `hint` come first.
 */
export function rankTests(
  tests: readonly TestRecord[],
  { file, declaration, hint }: { file: string; declaration?: string; hint?: string },
): TestRecord[] {
  const worth = (test: TestRecord) => {
    const { file: testFile, kills, milliseconds } = test;
    const all = [...kills.values()].reduce((a, b) => a + b, 0);
    const prior = isClosest(file, testFile) ? 10 : 0.2;
    const own = declaration === undefined ? 0 : kills.get(declaration) ?? 0;
    return (prior + 100 * own + 10 * (kills.get(file) ?? 0) + all) / (milliseconds + 50);
  };
  const ranked = tests.map((test) => ({ test, first: Number(isHinted(test, hint)), worth: worth(test) }));
  return ranked.sort((a, b) => b.first - a.first || b.worth - a.worth).map(({ test }) => test);
}

/**
 * Tries a mutant. Code that pools share is put before the native pool's tests, and if it survives these before the tests
 * of the others.
 *
 * @param seen codes of earlier mutants, by pool and hash, which are not tried again
 * @param declaration digest of the mutated declaration
 * @param hint part of the file or name of tests to run first
 * @param budget how long the tests of each pool run, in milliseconds; the rest is left out, but for those of the hint
 * @throws {WorkerTimeout} if compiling takes too long. A test that does kills the mutant, and the worker.
 */
export async function tryMutant(
  worker: WorkerClient,
  mutant: Mutant,
  poolTrials: readonly PoolTrial[],
  { seen, declaration, hint, budget = Infinity }: {
    seen: Set<string>;
    declaration?: string;
    hint?: string;
    budget?: number;
  },
): Promise<TrialResult & { readonly workerDied?: true }> {
  const compile = async (pool: PoolKind) =>
    (await worker.request<{ hash: string | null }>({ do: "compile", pool, mutant }, 300_000)).hash;
  let verdict: Verdict = "refused";
  let cutShort = false;
  for (const trial of poolTrials) {
    const hash = await compile(trial.pool);
    if (hash === null) continue;
    if (verdict === "refused") verdict = "same";
    if (hash === trial.hash || seen.has(`${trial.pool} ${hash}`)) continue;
    seen.add(`${trial.pool} ${hash}`);
    const deadline = performance.now() + budget;
    const open = trial.tests.filter(({ passesUnchanged }) => passesUnchanged !== false);
    for (const test of rankTests(open, { file: mutant.file, declaration, hint })) {
      if (performance.now() > deadline && !isHinted(test, hint)) {
        cutShort = true;
        break;
      }
      const outcome = await runOn(worker, trial.pool, test, compile);
      if (outcome === "passed") continue;
      for (const scope of [mutant.file, declaration]) {
        if (scope !== undefined) test.kills.set(scope, (test.kills.get(scope) ?? 0) + 1);
      }
      const by = `${test.file}: ${test.name}`;
      return { verdict: "killed", by, ...(outcome === "hung" && { workerDied: true }) };
    }
    verdict = "survived";
  }
  return { verdict, ...(cutShort && { cutShort }) };
}

/** Runs a test on the compiled mutant. A test that also fails on the unchanged code passes. */
async function runOn(
  worker: WorkerClient,
  pool: PoolKind,
  test: TestRecord,
  compile: (pool: PoolKind) => Promise<unknown>,
): Promise<"passed" | "failed" | "hung"> {
  try {
    if (await run(worker, pool, test) === null) return "passed";
    if (await passesUnchanged(worker, pool, test)) return "failed";
    await compile(pool);
    return "passed";
  } catch (error) {
    if (error instanceof WorkerTimeout) return "hung";
    throw error;
  }
}

async function run(worker: WorkerClient, pool: PoolKind, test: TestRecord): Promise<string | null> {
  const { failure, milliseconds } = await worker.request<{ failure: string | null; milliseconds: number }>(
    { do: "run", pool, test: test.index },
    120_000 + 20 * test.milliseconds,
  );
  if (failure === null) test.milliseconds = milliseconds;
  return failure;
}

/** Returns whether a test passes on the unchanged code. */
async function passesUnchanged(worker: WorkerClient, pool: PoolKind, test: TestRecord): Promise<boolean> {
  if (test.passesUnchanged === undefined) {
    await worker.request({ do: "compile", pool, mutant: null }, 300_000);
    const failure = await run(worker, pool, test);
    test.passesUnchanged = failure === null;
    if (failure !== null) {
      console.error(`${test.file}: ${test.name}: left out, it fails on the unchanged code: ${failure}`);
    }
  }
  return test.passesUnchanged;
}
