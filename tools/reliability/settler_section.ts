/** Runs the settler campaign at its full size, and formats its section of docs/reliability.md. */
import { availableParallelism, loadavg } from "node:os";
import { runSettlerCampaign, type SettlerReport } from "../../testkit/chaos/settler_campaign.ts";
import { SeededRandom } from "../../testkit/random/seeded_random.ts";
import { markdownTable } from "../shared/markdown_table.ts";
import { dateAndCommit } from "../shared/git_revision.ts";

const SENDERS = 8;
const DEPOSITS_PER_TRANSFER = 16;
/** With real proofs, by one undisturbed relayer. */
const REAL_DEPOSITS = 320;
const CALM_DEPOSITS = 1_600;
const DEPOSITS = 8_400;
const SETTLERS = 2;
const KILLS = 50;

/** Returns the lines of the section. Throws if a campaign fails. */
export async function settlerSection(seed: number, scale: number): Promise<string[]> {
  const load = loadavg()[0];
  const common = {
    random: new SeededRandom(seed),
    senders: SENDERS,
    depositsPerTransfer: DEPOSITS_PER_TRANSFER,
    onProgress: (line: string) => console.log(`settlers: ${line}`),
  };
  const real = await runSettlerCampaign({
    ...common,
    proofs: "real",
    settlers: 1,
    calmDeposits: Math.ceil(REAL_DEPOSITS * scale),
    deposits: 0,
    kills: 0,
  });
  const forged = await runSettlerCampaign({
    ...common,
    proofs: "forged",
    settlers: SETTLERS,
    calmDeposits: Math.ceil(CALM_DEPOSITS * scale),
    deposits: Math.ceil(DEPOSITS * scale),
    kills: Math.ceil(KILLS * scale),
  });
  const machine =
    `${await dateAndCommit()}, on ${availableParallelism()} cores with a load of ${load.toFixed(0)} ` +
    `from other work at the start and ${loadavg()[0].toFixed(0)} at the end, Deno ${Deno.version.deno}, ` +
    `scale ${scale}, seed ${seed}.`;
  return [machine, "", ...table([real, forged])];
}

function table(reports: readonly SettlerReport[]): string[] {
  const rows: [string, (report: SettlerReport) => string | number][] = [
    ["Deposits", ({ deposits }) => deposits],
    ["Wallets that deposit at once", ({ plan }) => plan.senders],
    ["Deposits refused", ({ refusedDeposits }) => refusedDeposits],
    ["Settlements", ({ settledBy }) => settledBy.join(" + ")],
    ["Settlements refused because another was first", ({ refusedSettlements }) => refusedSettlements],
    ["Relayers killed with SIGKILL", ({ kills }) => kills],
    ["Deposits settled per second by one undisturbed relayer", ({ calmRate }) => calmRate.toFixed(1)],
    ["Time covered", ({ seconds }) => `${(seconds / 60).toFixed(1)} min`],
  ];
  const head = ["", "Real proofs, 1 relayer", `Test keys, ${SETTLERS} relayers that race`];
  return markdownTable(head, rows.map(([name, valueOf]) => [name, ...reports.map(valueOf)]));
}
