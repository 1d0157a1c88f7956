/**
 * Runs the relayer's reliability campaign and writes its figures into docs/reliability.md: real processes under
 * faults and kill -9 on both stores, thousands of notes, takeovers, and the simulation. A run that loses a
 * withdrawal, pays one twice, finds a difference, or misses a kind of fault fails and writes nothing. There is no
 * `--check`: no two runs are equal.
 *
 * Usage: deno task reliability [scale] [--settlers]     (default 1: an hour on an idle machine)
 *   --settlers runs only the campaign of settlers, and leaves the other figures as they are.
 */
import { dateAndCommit } from "../shared/git_revision.ts";
import { availableParallelism, loadavg } from "node:os";
import { type CampaignReport, runCampaign } from "../../testkit/chaos/campaign.ts";
import { journalStates, killPoints } from "../../testkit/chaos/kill_points.ts";
import { loadPlan } from "../../testkit/chaos/load_plan.ts";
import { measureTakeovers } from "../../testkit/chaos/takeovers.ts";
import { simulate, type SimulationReport } from "../../testkit/simulation/run/simulation.ts";
import { faultKinds } from "../../testkit/servers/endpoint_faults.ts";
import { readArguments } from "../shared/arguments.ts";
import { writeGenerated } from "../shared/generated_files.ts";
import { fillTables } from "../shared/generated_tables.ts";
import { markdownTable } from "../shared/markdown_table.ts";
import { settlerSection } from "./settler_section.ts";
import { missingContent } from "./page_checks.ts";

const SEEDS = 100;
const FUZZED = 500;
/** Twice every step of the journal and twice any place; once at any scale. */
const KILL_PLACES = Object.keys(killPoints).length + 1;
const KILLS = 2 * KILL_PLACES;
const REPLICAS = 3;
/** The depth of a deep test: thousands of notes. */
const LOAD_DEPTH = 15;
const TAKEOVERS = 12;
const NANO_DIGITS = 9;

const stores = { kv: "Deno KV", postgres: "PostgreSQL", pooled: "PostgreSQL behind PgBouncer, Redis" };

const args = readArguments(["--settlers"], 1);
const scale = Number(args.words[0] ?? "1");
if (!(scale > 0)) {
  console.error("scale must be a positive number");
  Deno.exit(2);
}
const seed = crypto.getRandomValues(new Uint32Array(1))[0] >>> 1;
console.log(`reliability: seed ${seed}, scale ${scale}`);
const settlers = await settlerSection(seed + 8, scale);
if (args.has("--settlers")) {
  await writeGenerated("reliability", [await fillTables("docs/reliability.md", { settlers })], false);
  Deno.exit(0);
}
const machineLoad = loadavg()[0];
const began = performance.now();

const common = {
  waves: 4,
  faultProbability: 0.12,
  kills: Math.max(KILL_PLACES, Math.ceil(KILLS * scale)),
  killAt: "steps",
  fuzzedRequests: Math.ceil(FUZZED * scale),
  onProgress: console.log,
} as const;
const kv = await runCampaign({
  ...common,
  seed,
  store: "kv",
  replicas: 1,
  wallet: "v4R2",
  pools: ["native-1", "jet-10"],
  notesPerWave: 6,
});
const replicas = await runCampaign({
  ...common,
  seed: seed + 2,
  store: "pooled",
  replicas: REPLICAS,
  wallet: "v5R1",
  pools: ["native-1", "native-10", "jet-10"],
  notesPerWave: 6,
});
const load = await runCampaign(
  loadPlan({ seed: seed + 4, depth: Math.ceil(LOAD_DEPTH * scale), onProgress: console.log }),
);
const takeoverLoad = loadavg()[0];
const takeovers = await measureTakeovers(TAKEOVERS, seed + 6);
const simulated: SimulationReport[] = [];
for (let i = 0; i < Math.ceil(SEEDS * scale); i++) simulated.push(await simulate(seed + i));

const minutes = ((performance.now() - began) / 60_000).toFixed(0);
const written = await fillTables("docs/reliability.md", {
  settlers,
  run: [
    `${await dateAndCommit()}, ${minutes} minutes on ${availableParallelism()} cores with a load of ` +
    `${
      machineLoad.toFixed(0)
    } from other work at the start, Deno ${Deno.version.deno}, scale ${scale}, seed ${seed}.`,
  ],
  takeovers: [
    `Two replicas had no other work. Their leader was killed ${TAKEOVERS} times, on a machine with a load of ` +
    `${takeoverLoad.toFixed(0)}. The other replica led after ${spread(takeovers)}.`,
  ],
  campaigns: markdownTable([
    "",
    "Embedded store, 1 process",
    `PostgreSQL, ${REPLICAS} replicas`,
    `Load, ${load.plan.replicas} replicas`,
    "Simulation",
  ], [
    ["Runs", "1", "1", "1", `${simulated.length} seeds`],
    ["Time covered", ...each(minutesOf), `${hours(simulated)} h of virtual time`],
    ["Store", ...each(({ plan }) => stores[plan.store]), "in memory"],
    ["Relayer's wallet", ...each(({ plan }) => plan.wallet), "both"],
    ["Pools", ...each(({ plan }) => plan.pools.map((pool) => `\`${pool}\``).join(", ")), "1 or 2"],
    ["Deposits", ...each(({ deposits }) => deposits), ""],
    ["Withdrawals paid", ...each(({ paid }) => paid), total(({ withdrawals }) => withdrawals)],
    ["Paid twice", ...each(({ duplicates }) => duplicates), "0"],
    ["Accepted and lost", ...each(({ lost }) => lost), "0"],
    ["Reported failed or expired, and submitted again", ...each(({ reported }) => reported.length), ""],
    ["Processes killed with SIGKILL", ...each(({ kills }) => kills), total(({ kills }) => kills)],
    ["Processes stopped with SIGTERM under load", ...each(({ restarts }) => restarts), ""],
    ["Processes suspended and resumed", "", "", "", total(({ pauses: stops }) => stops)],
    ["Outages of PgBouncer or Redis", ...each(({ outages }) => sum(outages)), ""],
    ["Calls to the endpoint", ...each(({ calls }) => calls), ""],
    [
      "Faults of the endpoint and the network",
      ...each(({ faults }) => sum(faults)),
      total(({ faults }) => faults),
    ],
    ["Random requests by the OpenAPI document, answered", ...each(({ fuzz }) => fuzz.answered), ""],
    ["5xx responses other than 503 with Retry-After", ...each(({ fuzz }) => fuzz.errors), ""],
    ["Responses that the document does not list", ...each(({ fuzz }) => fuzz.violations.length), ""],
    ["Paid by another sender's message", "", "", "", total(({ frontRun }) => frontRun)],
    ["Takeover time after a leader's death", "", ...[replicas, load].map((run) => spread(run.takeovers)), ""],
    ["Wallet at the start", ...each(({ start }) => coins(start)), ""],
    ["+ fees in coins", ...each(({ fees }) => coins(fees)), ""],
    ["− refunds", ...each(({ refunds }) => coins(refunds)), ""],
    ["− costs", ...each(({ costs }) => coins(costs)), ""],
    ["= wallet at the end, to the nano", ...each(({ end }) => coins(end)), ""],
    ["Fees in jettons, smallest unit", ...each(({ jettons }) => jettons), ""],
  ]),
  faults: markdownTable(["Fault", "Applies to", "Embedded store", "PostgreSQL", "Load"], [
    ...Object.entries(faultKinds).map(([kind, meets]) => [
      kind,
      meets,
      ...each(({ faults }) => faults.get(kind as keyof typeof faultKinds) ?? 0),
    ]),
  ]),
  steps: markdownTable(["Killed", "Embedded store", "PostgreSQL", "Load"], [
    ...[...Object.keys(killPoints), "anywhere"].map((
      step,
    ) => [step, ...each((run) => run.killPoints.get(step) ?? 0)]),
  ]),
  deaths: markdownTable([
    "State of the journal",
    "Embedded store",
    "PostgreSQL, leaders",
    "Load, leaders",
  ], [...journalStates.map((death) => [death, ...each((run) => run.journalStates.get(death) ?? 0)])]),
});
const missing = missingContent(written.content);
if (missing.length > 0) {
  const kept = await Deno.makeTempFile({ prefix: "tonado-reliability-", suffix: ".md" });
  await Deno.writeTextFile(kept, written.content);
  console.error(`the page is not written, it is kept in ${kept}:\n${missing.join("\n")}`);
  Deno.exit(1);
}
await writeGenerated("reliability", [written], false);

function each(of: (run: CampaignReport) => unknown): string[] {
  return [kv, replicas, load].map((run) => String(of(run)));
}

function total(of: (run: SimulationReport) => number): string {
  return String(simulated.reduce((all, run) => all + of(run), 0));
}

function hours(runs: readonly SimulationReport[]): string {
  return (runs.reduce((all, { virtualSeconds }) => all + virtualSeconds, 0) / 3_600).toFixed(0);
}

function minutesOf({ seconds }: CampaignReport): string {
  return `${(seconds / 60).toFixed(1)} min`;
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((all, count) => all + count, 0);
}

/** Formats the minimum, median and maximum. */
function spread(milliseconds: readonly number[]): string {
  if (milliseconds.length === 0) return "never happened";
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const [least, middle, most] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)!]
    .map((ms) => (ms / 1_000).toFixed(1));
  return `${least} / ${middle} / ${most} s (min, median, max of ${sorted.length})`;
}

function coins(nano: bigint): string {
  const digits = String(nano).padStart(NANO_DIGITS + 1, "0");
  return `${digits.slice(0, -NANO_DIGITS)}.${digits.slice(-NANO_DIGITS)}`;
}
