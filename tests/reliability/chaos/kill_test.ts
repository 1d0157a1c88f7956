/**
 * Relayer processes killed with SIGKILL at every step of their journal, under load and with a failing
 * endpoint. Afterwards chain, database, trees and balances are equal. `deno task test:deep` runs many times
 * as long, with another seed.
 */
import { ok } from "node:assert/strict";
import { depth, seed } from "../../../testkit/random/property_runs.ts";
import { pgbouncerServer } from "../../../testkit/servers/pgbouncer.ts";
import { redisServer } from "../../../testkit/servers/services.ts";
import { type CampaignPlan, runCampaign } from "../../../testkit/chaos/campaign.ts";
import { type JournalState, killPoints } from "../../../testkit/chaos/kill_points.ts";

const STEPS = Object.keys(killPoints);
/** Journal states that a run must have had: no other state has the steps around a send. */
const certain: readonly JournalState[] = ["signed and journaled, not sent", "sent, not journaled as sent"];
const common = {
  seed,
  faultProbability: 0.1,
  /** One kill at every step, and one at any point. */
  kills: (STEPS.length + 1) * depth,
  killAt: "steps",
  fuzzedRequests: 50 * depth,
} as const;

type Case = { name: string; ignore: boolean; plan: Omit<CampaignPlan, keyof typeof common> };

const cases: Case[] = [
  {
    name: "kill -9 (kv): at every step of the journal, and each withdrawal is paid exactly once",
    ignore: false,
    plan: {
      store: "kv",
      replicas: 1,
      wallet: "v4R2",
      pools: ["native-1"],
      waves: 4 * depth,
      notesPerWave: 3,
    },
  },
  {
    name:
      "kill -9 (postgres, pgbouncer, redis): replicas under load on three pools, and each withdrawal is paid exactly once",
    ignore: !await pgbouncerServer() || !await redisServer(),
    plan: {
      store: "pooled",
      replicas: 2,
      wallet: "v5R1",
      pools: ["native-1", "native-10", "jet-10"],
      waves: 3 * depth,
      notesPerWave: 2,
    },
  },
];

for (const { name, ignore, plan } of cases) {
  Deno.test({
    name,
    ignore,
    async fn() {
      const report = await runCampaign({ ...common, ...plan });
      for (const step of STEPS) ok(report.killPoints.has(step), `somebody was killed ${step}`);
      for (const death of certain) ok(report.journalStates.has(death), `and died ${death}`);
      ok(report.restarts > 0);
    },
  });
}
