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
import { type Mutant, mutantsOf } from "../operators.ts";
import { digestOf, shuffled } from "../results.ts";
import { writeMutationPage } from "../page.ts";
import { mutationCommand, type MutationFlags, MutationRun, type NamedMutant, root } from "../run.ts";
import { type PoolKind, poolKinds, readSources, testFiles } from "./pools.ts";
import { equivalenceReason } from "./equivalent_mutants.ts";
import { reach, readImports } from "../typescript/test_selection.ts";
import { WorkerClient } from "./worker_client.ts";
import { type PoolTrial, type TestRecord, tryMutant } from "./trial.ts";
import { parseCount } from "../parse_count.ts";

const times = new URL("dist/mutants_times.json", root);
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

const sources = readSources(root);
// The table of zeros has its own test (`deno task zeros --check`).
const mutated = [...sources.keys()].filter((path) => !path.endsWith("zeros.tolk"));
const poolsOf = (file: string) => sources.get(file)!;
const testDigests = await digestTests();
const results = new URL("tools/mutants/tolk/results.jsonl", root);
const trials = await MutationRun.open(results, mutated, mutantsOf, equivalenceReason);
const versionOf = (mutant: Mutant) => ({
  source: trials.sourceOf(mutant),
  tests: testDigests.get(poolsOf(mutant.file).join())!,
  budget: Number.isFinite(budget) ? budget : null,
});

if (given.write) {
  await writeMutationPage(trials.current(), trials.all.size);
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
  for (const pools of new Set(mutated.map((path) => poolsOf(path).join()))) {
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
  const benches = await prepare(poolKinds.filter((pool) => !onlyPool || pool === onlyPool));
  const seen = new Set<string>();
  const count = Math.min(given.workers, open.length);
  const testers = await Promise.all(Array.from({ length: count }, () => ready(benches)));
  const workers = testers.map((_, i) => async ([key, mutant]: NamedMutant) => {
    const own = benches.filter(({ pool }) => poolsOf(mutant.file).includes(pool));
    const hint = first ?? trials.entries.get(key)?.by;
    const version = versionOf(mutant);
    const options = { seen, hint, budget, declaration: version.source };
    const { testerDied, cutShort, ...result } = await tryMutant(testers[i], mutant, own, options);
    if (testerDied) testers[i] = await ready(benches);
    const isOpen = result.verdict === "survived" && cutShort;
    return { ...result, ...version, budget: isOpen ? version.budget : null };
  });
  await trials.tryAll(open, workers);
  for (const tester of testers) await tester.close();
  await keepTimes(benches);
}

/** Returns a worker that has loaded these pools' tests. */
async function ready(benches: readonly { readonly pool: PoolKind }[]): Promise<WorkerClient> {
  const tester = new WorkerClient();
  for (const { pool } of benches) await tester.request({ do: "load", pool }, 300_000);
  return tester;
}

/** Loads the tests of each pool, with the kills that earlier runs recorded. */
async function prepare(wanted: readonly PoolKind[]): Promise<PoolTrial[]> {
  const took = JSON.parse(await Deno.readTextFile(times).catch(() => "{}")) as Record<string, number>;
  const tester = new WorkerClient();
  const benches: PoolTrial[] = [];
  for (const pool of wanted) {
    const { claims } = await tester.request<{ claims: { file: string; name: string }[] }>(
      { do: "load", pool },
      300_000,
    );
    const { hash } = await tester.request<{ hash: string | null }>(
      { do: "compile", pool, mutant: null },
      300_000,
    );
    if (hash === null) throw new Error(`the ${pool} pool does not compile`);
    console.error(`baseline of the ${pool} pool: ${claims.length} claims, compiles to ${hash}`);
    const witnesses = claims.map(({ file, name }, index): TestRecord => ({
      index,
      file,
      name,
      milliseconds: took[`${file}: ${name}`] ?? 500,
      holds: undefined,
      kills: killsBy(file, name),
    }));
    benches.push({ pool, hash, claims: witnesses });
  }
  await tester.close();
  return benches;
}

async function keepTimes(benches: readonly PoolTrial[]): Promise<void> {
  const took = benches.flatMap(({ claims }) =>
    claims.map(({ file, name, milliseconds }) => [`${file}: ${name}`, milliseconds])
  );
  const before = JSON.parse(await Deno.readTextFile(times).catch(() => "{}"));
  await Deno.writeTextFile(times, JSON.stringify({ ...before, ...Object.fromEntries(took) }));
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
