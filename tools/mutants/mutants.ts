/**
 * Mutation testing: makes one small change at a time to the contracts' sources and runs the contract tests. A mutant
 * that no test detects is a rule without a test. Tests of gas and code hashes do not count, only behaviour.
 *
 * Usage: deno task mutants [--pool native|jetton] [--only <text>] [--first <text>] [--sample n] [--slowest ms]
 * [--json]
 *                          [--workers n] [--write]   (writes the scores into docs/mutation.md)
 *
 * Results are stored in dist/mutants.jsonl, from which the next run continues.
 */
import { Command, InvalidArgumentError, Option } from "commander";
import { ProgressReporter } from "./progress.ts";
import { type Mutant, mutantsOf } from "./operators.ts";
import { digestOf, isCurrent, loadRecords, type MutantRecord, nameMutants } from "./results.ts";
import { scoreOf, writeMutationPage } from "./page.ts";
import { type PoolKind, poolKinds, testFiles } from "./contract_tests.ts";
import { WorkerClient } from "./worker_client.ts";
import { poolsOf, type PoolTrial, type TestRecord, tryMutant } from "./trial.ts";

const root = new URL("../../", import.meta.url);
const results = new URL("dist/mutants.jsonl", root);
const times = new URL("dist/mutants_times.json", root);
const count = (text: string) => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("not a number above 0");
  return value;
};
const given = new Command("mutants").allowExcessArguments(false)
  .addOption(new Option("--pool <pool>").choices(poolKinds))
  .option("--only <text>", "part of a mutant's name: file, kind of fault, or line before and after")
  .option("--first <text>", "part of the name of claims that are tried first")
  .option("--sample <n>", "how many mutants", count, Infinity)
  .option("--slowest <ms>", "leaves out claims that take longer", count, Infinity)
  .option("--workers <n>", "processes", count, 2)
  .option("--json").option("--write")
  .parse(Deno.args, { from: "user" })
  .opts<{
    pool?: PoolKind;
    only?: string;
    first?: string;
    sample: number;
    slowest: number;
    workers: number;
    json?: true;
    write?: true;
  }>();
const { pool: onlyPool, only: part = "", first, sample, slowest, workers } = given;

const folders = ["contracts/", "contracts/generated/"];
const sources = folders.flatMap((folder) =>
  [...Deno.readDirSync(new URL(folder, root))].filter(({ name }) => name.endsWith(".tolk"))
    .map(({ name }) => `${folder}${name}`)
).sort();
const tests = [
  ...poolKinds.flatMap((pool) => testFiles(root, pool)),
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
const state = {
  sources: await digestOf(root, sources),
  tests: await digestOf(root, tests),
  slowest: Number.isFinite(slowest) ? slowest : null,
};

// The table of zeros has its own test (`deno task zeros --check`).
const mutated = sources.filter((path) => !path.endsWith("zeros.tolk"));
const all = nameMutants((await Promise.all(
  mutated.map(async (path) => mutantsOf(path, await Deno.readTextFile(new URL(path, root)))),
)).flat());
const entries = await loadRecords(results);

if (given.write) {
  await writeMutationPage(current(), all.size);
} else {
  const chosen = [...all].filter(([key, { file }]) =>
    key.includes(part) && (!onlyPool || poolsOf(file).includes(onlyPool))
  );
  const sampled = await shuffled(chosen, sample);
  const open = sampled.filter(([key]) => !isCurrent(entries.get(key), state));
  if (open.length > 0) await run(open);
  const done = sampled.flatMap(([key]) => entries.get(key) ?? []);
  if (given.json) console.log(JSON.stringify(done, null, 2));
  else {
    for (const { file, line, operator, shows, verdict } of done) {
      if (verdict === "survived") console.log(`${file}:${line}: ${operator}: ${shows}`);
    }
    const { killed, counted, percent } = scoreOf(done);
    console.log(`${killed} of ${counted} mutants killed: ${percent} %`);
  }
}

/** Shuffles in an order that is the same in every run, so that any beginning of it is a sample. */
async function shuffled<T>(named: readonly (readonly [string, T])[], count: number) {
  const ranked = await Promise.all(named.map(async (each) => {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(each[0]));
    return { each, rank: new DataView(digest).getUint32(0) };
  }));
  return ranked.sort((a, b) => a.rank - b.rank).slice(0, count).map(({ each }) => each);
}

/** Returns the results for these sources. */
function current(): MutantRecord[] {
  return [...all.keys()].flatMap((key) => {
    const entry = entries.get(key);
    return entry?.sources === state.sources ? [entry] : [];
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
      const { file, operator, line, shows } = mutant;
      const of = benches.filter(({ pool }) => poolsOf(file).includes(pool));
      const hint = first ?? entries.get(key)?.by?.replace(/^[^:]*: /, "");
      const before = entries.get(key);
      const fresh = isCurrent(before, { ...state, slowest: 0 }) ? before.slowest ?? 0 : 0;
      const { testerDied, ...result } = await tryMutant(tester, mutant, of, { seen, hint, above: fresh });
      const entry: MutantRecord = { key, file, operator, line, shows, ...state, ...result };
      entries.set(key, entry);
      await out.write(new TextEncoder().encode(`${JSON.stringify(entry)}\n`));
      bar.add(result.verdict, `${file}:${line}`);
      if (testerDied) tester = await ready(benches);
    }
    await tester.close();
  }));
  out.close();
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
    benches.push({ pool, hash, claims: witnesses.filter(({ milliseconds }) => milliseconds <= slowest) });
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
    if (entry.by === `${file}: ${name}`) kills.set(entry.file, (kills.get(entry.file) ?? 0) + 1);
  }
  return kills;
}
