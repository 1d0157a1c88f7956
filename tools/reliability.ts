/**
 * Runs the relayer's reliability campaign and writes its figures into docs/reliability.md: real processes under faults
 * and kill -9 on both stores, and the simulation. Every figure is of this run; a run in which anything is lost, paid
 * twice or differs ends with an error and writes nothing. There is nothing to `--check`: no two runs are the same.
 *
 * Usage: deno task reliability [scale]     (scale 1, the default: some minutes; kills and seeds grow with it)
 */
import { availableParallelism, loadavg } from "node:os";
import { type CampaignReport, runCampaign } from "../tests/chaos/campaign.ts";
import { deaths, steps } from "../tests/chaos/journal_steps.ts";
import { simulate, type SimulationReport } from "../tests/simulation/simulation.ts";
import { faultKinds } from "../tests/support/fault_proxy.ts";
import { readArguments } from "./flags.ts";
import { writeGenerated } from "./generated_files.ts";
import { page } from "./generated_page.ts";

const SEEDS = 100;
const FUZZED = 500;
/** Every step of the journal twice, and twice anywhere. */
const KILLS = 2 * (Object.keys(steps).length + 1);
const REPLICAS = 3;
const NANO_DIGITS = 9;

const scale = Number(readArguments([], 1).words[0] ?? "1");
if (!(scale > 0)) {
  console.error("scale must be a positive number");
  Deno.exit(2);
}
const seed = crypto.getRandomValues(new Uint32Array(1))[0] >>> 1;
console.log(`reliability: seed ${seed}, scale ${scale}`);
const load = loadavg()[0];
const began = performance.now();

const common = {
  waves: 4,
  faults: 0.12,
  kills: Math.ceil(KILLS * scale),
  fuzzed: Math.ceil(FUZZED * scale),
  onProgress: console.log,
};
const kv = await runCampaign({
  ...common,
  seed,
  store: "kv",
  replicas: 1,
  wallet: "v4R2",
  denominations: ["1"],
  notesPerWave: 6,
});
const postgres = await runCampaign({
  ...common,
  seed: seed + 2,
  store: "postgres",
  replicas: REPLICAS,
  wallet: "v5R1",
  denominations: ["1", "10"],
  notesPerWave: 6,
});
const simulated: SimulationReport[] = [];
for (let i = 0; i < Math.ceil(SEEDS * scale); i++) simulated.push(await simulate(seed + i));

const minutes = ((performance.now() - began) / 60_000).toFixed(0);
await writeGenerated("reliability", [
  await page("docs/reliability.md", {
    run: [
      `${
        new Date().toISOString().slice(0, 10)
      }, ${minutes} minutes on ${availableParallelism()} cores with a load of ` +
      `${
        load.toFixed(0)
      } from other work at the start, Deno ${Deno.version.deno}, scale ${scale}, seed ${seed}.`,
    ],
    campaigns: table(["", "Embedded store, 1 process", `PostgreSQL, ${REPLICAS} replicas`, "Simulation"], [
      ["Runs", "1", "1", `${simulated.length} seeds`],
      ["Time covered", minutesOf(kv), minutesOf(postgres), `${hours(simulated)} h of virtual time`],
      ["Relayer's wallet", ...both(({ plan }) => plan.wallet), "both"],
      ["Pools", ...both(({ plan }) => plan.denominations.length), "see `tests/simulation/`"],
      ["Deposits", ...both(({ deposits }) => deposits), ""],
      ["Withdrawals paid", ...both(({ paid }) => paid), total(({ withdrawals }) => withdrawals)],
      ["Paid twice", ...both(({ duplicates }) => duplicates), "0"],
      ["Taken on and lost", ...both(({ lost }) => lost), "0"],
      ["Reported failed or expired, and submitted again", ...both(({ reported }) => reported.length), ""],
      ["Processes killed with SIGKILL", ...both(({ kills }) => kills), total(({ kills }) => kills)],
      ["Processes told to end under load, with SIGTERM", ...both(({ restarts }) => restarts), ""],
      ["Processes stopped for long, and woken", "", "", total(({ stops }) => stops)],
      ["Calls to the endpoint", ...both(({ calls }) => calls), ""],
      ["Faults of the endpoint and the network", ...both(faultsOf), total(({ faults }) => faults)],
      ["Requests drawn from the API's document, answered", ...both(({ fuzz }) => fuzz.answered), ""],
      ["Answers of 5xx, other than 503 with Retry-After", ...both(({ fuzz }) => fuzz.errors), ""],
      ["Answers that the document does not name", ...both(({ fuzz }) => fuzz.wrong.length), ""],
      ["Paid by somebody else's message", "", "", total(({ frontRun }) => frontRun)],
      ["Until another led after a leader's death", "", takeover(postgres.takeovers), ""],
      ["Wallet at the start", ...both(({ start }) => coins(start)), ""],
      ["+ fees", ...both(({ fees }) => coins(fees)), ""],
      ["− costs", ...both(({ costs }) => coins(costs)), ""],
      ["= wallet at the end, to the nano", ...both(({ end }) => coins(end)), ""],
    ]),
    faults: table(["Fault", "Meets", "Embedded store", "PostgreSQL"], [
      ...Object.entries(faultKinds).map(([kind, meets]) => [
        kind,
        meets,
        ...both(({ faults }) => faults.get(kind as keyof typeof faultKinds) ?? 0),
      ]),
    ]),
    steps: table(["Held and killed", "Embedded store", "PostgreSQL"], [
      ...[...Object.keys(steps), "anywhere"].map((
        step,
      ) => [step, ...both((run) => run.steps.get(step) ?? 0)]),
    ]),
    deaths: table(["What its journal then said", "Embedded store", "PostgreSQL, leaders"], [
      ...deaths.map((death) => [death, ...both((run) => run.deaths.get(death) ?? 0)]),
    ]),
  }),
], false);

function both(of: (run: CampaignReport) => unknown): string[] {
  return [kv, postgres].map((run) => String(of(run)));
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

function faultsOf({ faults }: CampaignReport): number {
  return [...faults.values()].reduce((all, count) => all + count, 0);
}

/** Smallest, middle and largest. */
function takeover(milliseconds: readonly number[]): string {
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

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}
