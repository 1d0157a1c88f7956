/**
 * Mutation testing: makes one small change at a time to the contracts' sources and runs the contract tests. A mutant that
 * no test detects is a rule without a test. Tests of gas and code hashes do not count, only behaviour.
 *
 * Usage: deno task mutants [--pool <pool>] [--only <text>] [--first <text>] [--survivors]
 *                          [--sample n] [--budget seconds] [--workers n] [--write]   (writes docs/mutation.md)
 *
 * Results are kept in dist/mutants.jsonl, from which the next run continues.
 */
import { Command, InvalidArgumentError, Option } from "commander";
import type { Mutant } from "./operators.ts";
import { writePage } from "./page.ts";
import { digestOf, shuffled } from "./results.ts";
import { MutationRun, type NamedMutant, root } from "./run.ts";
import { type PoolKind, poolKinds, testModules } from "./trial/pools.ts";
import { type PoolTrial, type TestRecord, tryMutant } from "./trial/trial.ts";
import { WorkerClient } from "./trial/worker_client.ts";

const durationsFile = new URL("dist/mutants_times.json", root);
const { pool: onlyPool, first, ...given } = new Command("mutants").allowExcessArguments(false)
  .addOption(new Option("--pool <pool>", "only mutants of one contract's sources").choices(poolKinds))
  .option("--only <text>", "part of a mutant's name: file, kind of fault, or line before and after", "")
  .option(
    "--first <text>",
    "parts, separated by |, of the files or names of tests that run first, whatever the budget",
  )
  .option("--survivors", "only mutants that survived an earlier run")
  .option("--sample <n>", "how many mutants", parseCount, Infinity)
  .option(
    "--budget <seconds>",
    "how long the tests of a pool run on a mutant; the rest is left out",
    parseCount,
    Infinity,
  )
  .option("--workers <n>", "processes", parseCount, 2)
  .option("--write", "tries nothing, and writes docs/mutation.md from the results of a full run")
  .parse(Deno.args, { from: "user" })
  .opts<
    {
      pool?: PoolKind;
      only: string;
      first?: string;
      survivors?: true;
      sample: number;
      budget: number;
      workers: number;
      write?: true;
    }
  >();
const budget = given.budget * 1000;

const trials = await MutationRun.open();
const poolsOf = (file: string) => trials.sources.get(file)!;
const testDigests = await digestTests();
const versionOf = (mutant: Mutant) => ({
  source: trials.sourceOf(mutant),
  tests: testDigests.get(poolsOf(mutant.file).join())!,
  budget: Number.isFinite(budget) ? budget : null,
});
const isOpen = (named: NamedMutant) => !trials.isSettled(named, versionOf(named[1]));

if (given.write) {
  const open = [...trials.all].filter(isOpen);
  if (open.length > 0) {
    console.error(`${open.length} mutants have no valid result. Run \`deno task mutants\` first.`);
    Deno.exit(1);
  }
  await writePage(trials.current(), poolsOf);
} else {
  const chosen = [...trials.all].filter(([key, { file }]) =>
    key.includes(given.only) && (!onlyPool || poolsOf(file).includes(onlyPool)) &&
    (!given.survivors || trials.entries.get(key)?.verdict === "survived")
  );
  const sampled = shuffled(chosen, given.sample);
  const open = sampled.filter(isOpen);
  if (open.length > 0) await run(open);
  trials.print(sampled);
}

function parseCount(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("not a number above 0");
  return value;
}

/** Returns the digest of the tests, and of the modules that they share, by the pools of a source. */
async function digestTests(): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (const pools of trials.sources.values()) {
    if (digests.has(pools.join())) continue;
    const modules = new Set(pools.flatMap((pool) => [...testModules(root, pool)]));
    digests.set(pools.join(), await digestOf(root, [...modules]));
  }
  return digests;
}

async function run(open: readonly NamedMutant[]): Promise<void> {
  await Deno.mkdir(new URL("dist/", root), { recursive: true });
  const poolTrials = await loadPoolTrials(poolKinds.filter((pool) => !onlyPool || pool === onlyPool));
  const seen = new Set<string>();
  const count = Math.min(given.workers, open.length);
  const clients = await Promise.all(Array.from({ length: count }, () => startWorker(poolTrials)));
  const workers = clients.map((_, i) => async ([key, mutant]: NamedMutant) => {
    const own = poolTrials.filter(({ pool }) => poolsOf(mutant.file).includes(pool));
    const hint = first ?? trials.entries.get(key)?.by;
    const version = versionOf(mutant);
    const options = { seen, hint, budget, declaration: version.source };
    const { workerDied, cutShort, ...result } = await tryMutant(clients[i], mutant, own, options);
    if (workerDied) clients[i] = await startWorker(poolTrials);
    const isCut = result.verdict === "survived" && cutShort;
    return { ...result, ...version, budget: isCut ? version.budget : null };
  });
  await trials.tryAll(open, workers);
  for (const client of clients) await client.close();
  await saveDurations(poolTrials);
}

/** Returns a worker that has loaded these pools' tests. */
async function startWorker(poolTrials: readonly { readonly pool: PoolKind }[]): Promise<WorkerClient> {
  const client = new WorkerClient();
  for (const { pool } of poolTrials) await client.request({ do: "load", pool }, 300_000);
  return client;
}

/** Loads the tests of each pool, with the kills that earlier runs recorded. */
async function loadPoolTrials(wanted: readonly PoolKind[]): Promise<PoolTrial[]> {
  const durations = JSON.parse(await Deno.readTextFile(durationsFile).catch(() => "{}")) as Record<
    string,
    number
  >;
  const client = new WorkerClient();
  const poolTrials: PoolTrial[] = [];
  for (const pool of wanted) {
    const { tests } = await client.request<{ tests: { file: string; name: string }[] }>(
      { do: "load", pool },
      300_000,
    );
    const { hash } = await client.request<{ hash: string | null }>(
      { do: "compile", pool, mutant: null },
      300_000,
    );
    if (hash === null) throw new Error(`the ${pool} pool does not compile`);
    console.error(`baseline of the ${pool} pool: ${tests.length} tests, compiles to ${hash}`);
    const records = tests.map(({ file, name }, index): TestRecord => ({
      index,
      file,
      name,
      milliseconds: durations[`${file}: ${name}`] ?? 500,
      passesUnchanged: undefined,
      kills: killsBy(file, name),
    }));
    poolTrials.push({ pool, hash, tests: records });
  }
  await client.close();
  return poolTrials;
}

async function saveDurations(poolTrials: readonly PoolTrial[]): Promise<void> {
  const durations = poolTrials.flatMap(({ tests }) =>
    tests.map(({ file, name, milliseconds }) => [`${file}: ${name}`, milliseconds])
  );
  const before = JSON.parse(await Deno.readTextFile(durationsFile).catch(() => "{}"));
  await Deno.writeTextFile(durationsFile, JSON.stringify({ ...before, ...Object.fromEntries(durations) }));
}

/** Returns how many mutants a test killed, by file and by digest of the declaration. */
function killsBy(file: string, name: string): Map<string, number> {
  const kills = new Map<string, number>();
  for (const { key, by, source } of trials.entries.values()) {
    if (by !== `${file}: ${name}`) continue;
    for (const scope of [key.slice(0, key.indexOf(":")), source]) {
      kills.set(scope, (kills.get(scope) ?? 0) + 1);
    }
  }
  return kills;
}
