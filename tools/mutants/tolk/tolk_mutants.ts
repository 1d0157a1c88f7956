/**
 * Mutation testing of the contracts: makes one small change at a time to the Tolk sources and runs the contract tests.
 * Tests of gas and code hashes do not count, only behaviour.
 *
 * Usage: deno task mutants [--pool <pool>] [--only <text>] [--first <text>] [--survivors]
 *                          [--sample n] [--budget seconds] [--json] [--workers n] [--write]   (writes docs/mutation.md)
 *
 * Results are stored in tools/mutants/tolk/results.jsonl, from which the next run continues.
 */
import { Command, Option } from "commander";
import { ProgressReporter } from "../progress.ts";
import { type Mutant, mutantsOf } from "../operators.ts";
import {
  adoptMoved,
  digestOf,
  isCurrent,
  loadRecords,
  mutantDigest,
  type MutantRecord,
  nameMutants,
  saveRecords,
  shuffled,
} from "../results.ts";
import { scoreOf, type TriedMutant, writeMutationPage } from "../page.ts";
import { type PoolKind, poolKinds, readSources, testFiles } from "./pools.ts";
import { equivalenceReason } from "./equivalent_mutants.ts";
import { reach, readImports } from "../typescript/test_selection.ts";
import { WorkerClient } from "./worker_client.ts";
import { type PoolTrial, type TestRecord, tryMutant } from "./trial.ts";
import { parseCount } from "../parse_count.ts";

const root = new URL("../../../", import.meta.url);
const results = new URL("tools/mutants/tolk/results.jsonl", root);
const times = new URL("dist/mutants_times.json", root);
const given = new Command("mutants").allowExcessArguments(false)
  .addOption(new Option("--pool <pool>").choices(poolKinds))
  .option("--only <text>", "part of a mutant's name: file, kind of fault, or line before and after")
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
  .option("--json").option("--write")
  .parse(Deno.args, { from: "user" })
  .opts<{
    pool?: PoolKind;
    only?: string;
    first?: string;
    survivors?: true;
    sample: number;
    budget: number;
    workers: number;
    json?: true;
    write?: true;
  }>();
const { pool: onlyPool, only: part = "", first, sample, workers } = given;
const budget = given.budget * 1000;

const sources = readSources(root);
// The table of zeros has its own test (`deno task zeros --check`).
const mutated = [...sources.keys()].filter((path) => !path.endsWith("zeros.tolk"));
const poolsOf = (file: string) => sources.get(file)!;
const texts = new Map(
  mutated.map((path) => [path, Deno.readTextFileSync(new URL(path, root))]),
);
const testDigests = await digestTests();
const versionOf = (mutant: Mutant) => ({
  source: mutantDigest(mutant, texts.get(mutant.file)!),
  tests: testDigests.get(poolsOf(mutant.file).join())!,
  budget: Number.isFinite(budget) ? budget : null,
});
const all = nameMutants([...texts].flatMap(([path, source]) => mutantsOf(path, source)));
const entries = await loadRecords(results);
adoptMoved(entries, all, (mutant) => versionOf(mutant).source);

if (given.write) {
  await writeMutationPage(current(), all.size);
} else {
  const chosen = [...all].filter(([key, { file }]) =>
    key.includes(part) && (!onlyPool || poolsOf(file).includes(onlyPool)) &&
    (!given.survivors || entries.get(key)?.verdict === "survived")
  );
  const sampled = shuffled(chosen, sample);
  const open = sampled.filter(([key, mutant]) => !isSettled(entries.get(key), mutant));
  if (open.length > 0) await run(open);
  const done = sampled.flatMap(([key, mutant]) => {
    const entry = entries.get(key);
    return entry ? [{ ...mutant, ...entry }] : [];
  });
  if (given.json) console.log(JSON.stringify(done, null, 2));
  else {
    for (const { file, line, operator, shows, verdict } of done) {
      if (verdict === "survived") console.log(`${file}:${line}: ${operator}: ${shows}`);
    }
    const { killed, counted, percent } = scoreOf(done);
    console.log(`${killed} of ${counted} mutants killed: ${percent} %`);
  }
}

/** Returns whether a mutant need not be tried: its result is valid, or it survived and is equivalent. */
function isSettled(entry: MutantRecord | undefined, mutant: Mutant): boolean {
  const version = versionOf(mutant);
  const isArgued = entry?.verdict === "survived" && entry.source === version.source &&
    equivalenceReason(mutant) !== undefined;
  return isArgued || isCurrent(entry, version);
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

/** Returns the results for these sources, with their mutants. */
function current(): TriedMutant[] {
  return [...all].flatMap(([key, mutant]) => {
    const entry = entries.get(key);
    return entry && entry.source === versionOf(mutant).source ? [{ ...mutant, ...entry }] : [];
  });
}

async function run(open: readonly (readonly [string, Mutant])[]): Promise<void> {
  await Deno.mkdir(new URL("dist/", root), { recursive: true });
  const benches = await prepare(poolKinds.filter((pool) => !onlyPool || pool === onlyPool));
  const bar = new ProgressReporter(open.length);
  const seen = new Set<string>();
  const queue = [...open];
  const out = await Deno.open(results, { create: true, append: true });
  await Promise.all(Array.from({ length: Math.min(workers, open.length) }, async () => {
    let tester = await ready(benches);
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [key, mutant] = next;
      const of = benches.filter(({ pool }) => poolsOf(mutant.file).includes(pool));
      const hint = first ?? entries.get(key)?.by;
      const version = versionOf(mutant);
      const { testerDied, cutShort, ...result } = await tryMutant(tester, mutant, of, {
        ...{ seen, hint, budget },
        declaration: version.source,
      });
      const entry: MutantRecord = {
        key,
        ...result,
        ...version,
        budget: result.verdict === "survived" && cutShort ? version.budget : null,
      };
      entries.set(key, entry);
      await out.write(new TextEncoder().encode(`${JSON.stringify(entry)}\n`));
      bar.add(result.verdict, `${mutant.file}:${mutant.line}`);
      if (testerDied) tester = await ready(benches);
    }
    await tester.close();
  }));
  out.close();
  await saveRecords(results, [...all.keys()].flatMap((key) => entries.get(key) ?? []));
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
  for (const { key, by, source } of entries.values()) {
    if (by !== `${file}: ${name}`) continue;
    for (const  of of[key.slice(0, key.indexOf(":")), source]) kills.set(of, (kills.get(of) ?? 0) + 1);
  }
  return kills;
}
