/**
 * Mutation testing of the contracts: makes one small change at a time to the Tolk sources and runs the contract tests.
 * Tests of gas and code hashes do not count, only behaviour.
 *
 * Usage: deno task mutants [--pool <pool>] [--only <text>] [--first <text>] [--survivors]
 *                          [--sample n] [--budget seconds] [--json] [--workers n] [--write]   (writes docs/mutation.md)
 *
 * Results are stored in tools/mutants/tolk/results.jsonl, from which the next run continues.
 */
import { Option } from "commander";
import type { Mutant } from "../operators.ts";
import { digestOf, shuffled } from "../results.ts";
import { mutationTables, writeTables } from "../page.ts";
import { mutationCommand, type MutationFlags, type NamedMutant, root } from "../run.ts";
import { type PoolKind, poolKinds, testFiles } from "./pools.ts";
import { openTolkRun } from "./tolk_run.ts";
import { reach, readImports } from "../typescript/test_selection.ts";
import { WorkerClient } from "./worker_client.ts";
import { type PoolTrial, type TestRecord, tryMutant } from "./trial.ts";
import { parseCount } from "../parse_count.ts";

const durationsFile = new URL("dist/mutants_times.json", root);
const given = mutationCommand("how many mutants")
  .addOption(new Option("--pool <pool>").choices(poolKinds))
  .option(
    "--first <text>",
    "parts, separated by |, of the files or names of tests that run first, whatever the budget",
  )
  .option("--survivors", "only mutants that survived an earlier run")
  .option(
    "--budget <seconds>",
    "how long the tests of a pool run on a mutant; the rest is left out",
    parseCount,
    Infinity,
  )
  .parse(Deno.args, { from: "user" })
  .opts<MutationFlags & { pool?: PoolKind; first?: string; survivors?: true; budget: number }>();
const { pool: onlyPool, first } = given;
const budget = given.budget * 1000;

const { trials, sources } = await openTolkRun();
const poolsOf = (file: string) => sources.get(file)!;
const testDigests = await digestTests();
const versionOf = (mutant: Mutant) => ({
  source: trials.sourceOf(mutant),
  tests: testDigests.get(poolsOf(mutant.file).join())!,
  budget: Number.isFinite(budget) ? budget : null,
});

if (given.write) {
  await trials.save();
  await writeTables(mutationTables(trials.current(), [...trials.all.values()]));
} else {
  const chosen = [...trials.all].filter(([key, { file }]) =>
    key.includes(given.only) && (!onlyPool || poolsOf(file).includes(onlyPool)) &&
    (!given.survivors || trials.entries.get(key)?.verdict === "survived")
  );
  const sampled = shuffled(chosen, given.sample);
  const open = sampled.filter((named) => !trials.isSettled(named, versionOf(named[1])));
  if (open.length > 0) await run(open);
  trials.print(sampled, given);
}

/** Returns the digest of the tests, and of the modules that they share, by the pools of a source. */
async function digestTests(): Promise<Map<string, string>> {
  const imports = await readImports(root, ["testkit/", "tests/"]);
  const digests = new Map<string, string>();
  for (const pools of new Set([...sources.values()].map((kinds) => kinds.join()))) {
    const tests = poolKinds.filter((pool) => pools.split(",").includes(pool))
      .flatMap((pool) => testFiles(root, pool));
    const shared = tests.flatMap((test) => [...reach(imports, test).keys()])
      .filter((path) => /^test(?:s|kit)\//.test(path));
    digests.set(pools, await digestOf(root, [...new Set([...tests, ...shared])]));
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
    const isOpen = result.verdict === "survived" && cutShort;
    return { ...result, ...version, budget: isOpen ? version.budget : null };
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
