/**
 * Mutation testing of the contracts: makes one small change at a time to the Tolk sources and runs the contract tests.
 * Tests of gas and code hashes do not count, only behaviour.
 *
 * Usage: deno task mutants [--pool native|jetton] [--only <text>] [--first <text>] [--survivors]
 *                          [--sample n] [--budget seconds] [--json] [--workers n] [--write]   (writes docs/mutation.md)
 *
 * Results are stored in tools/mutants/tolk/results.jsonl, from which the next run continues.
 */
import { Command, Option } from "commander";
import { ProgressReporter } from "../progress.ts";
import { type Mutant, mutantsOf } from "../operators.ts";
import {
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
import { type PoolKind, poolKinds, testFiles } from "./contract_tests.ts";
import { WorkerClient } from "./worker_client.ts";
import { poolsOf, type PoolTrial, type TestRecord, tryMutant } from "./trial.ts";
import { parseCount } from "../parse_count.ts";

const root = new URL("../../../", import.meta.url);
const results = new URL("tools/mutants/tolk/results.jsonl", root);
const times = new URL("dist/mutants_times.json", root);
const given = new Command("mutants").allowExcessArguments(false)
  .addOption(new Option("--pool <pool>").choices(poolKinds))
  .option("--only <text>", "part of a mutant's name: file, kind of fault, or line before and after")
  .option("--first <text>", "part of the name of claims that are tried first")
  .option("--survivors", "only mutants that survived an earlier run")
  .option("--sample <n>", "how many mutants", parseCount, Infinity)
  .option("--budget <seconds>", "how long tests run on a mutant; the rest is left out", parseCount, Infinity)
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

const folders = ["contracts/", "contracts/generated/"];
const sources = folders.flatMap((folder) =>
  [...Deno.readDirSync(new URL(folder, root))].filter(({ name }) => name.endsWith(".tolk"))
    .map(({ name }) => `${folder}${name}`)
).sort();
const tests = [
  ...new Set(poolKinds.flatMap((pool) => testFiles(root, pool))),
  ...[
    "testkit/chain/",
    "testkit/gas/",
    "testkit/random/",
    "tests/support/contracts/",
    "tests/support/contract_model/",
  ]
    .flatMap((folder) =>
      [...Deno.readDirSync(new URL(folder, root))].filter(({ isFile }) => isFile)
        .map(({ name }) => `${folder}${name}`)
    ),
];
const testDigest = await digestOf(root, tests);
const versionOf = (mutant: Mutant) => ({
  source: mutantDigest(mutant, texts.get(mutant.file)!),
  tests: testDigest,
  budget: Number.isFinite(budget) ? budget : null,
});

// The table of zeros has its own test (`deno task zeros --check`).
const mutated = sources.filter((path) => !path.endsWith("zeros.tolk"));
const texts = new Map(
  mutated.map((path) => [path, Deno.readTextFileSync(new URL(path, root))]),
);
const all = nameMutants([...texts].flatMap(([path, source]) => mutantsOf(path, source)));
const entries = await loadRecords(results);

if (given.write) {
  await writeMutationPage(current(), all.size);
} else {
  const chosen = [...all].filter(([key, { file }]) =>
    key.includes(part) && (!onlyPool || poolsOf(file).includes(onlyPool)) &&
    (!given.survivors || entries.get(key)?.verdict === "survived")
  );
  const sampled = shuffled(chosen, sample);
  const open = sampled.filter(([key, mutant]) => !isCurrent(entries.get(key), versionOf(mutant)));
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
      const hint = first ?? entries.get(key)?.by?.replace(/^[^:]*: /, "");
      const { testerDied, cutShort, ...result } = await tryMutant(tester, mutant, of, { seen, hint, budget });
      const version = versionOf(mutant);
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

function killsBy(file: string, name: string): Map<string, number> {
  const kills = new Map<string, number>();
  for (const entry of entries.values()) {
    const mutated = entry.key.slice(0, entry.key.indexOf(":"));
    if (entry.by === `${file}: ${name}`) kills.set(mutated, (kills.get(mutated) ?? 0) + 1);
  }
  return kills;
}
