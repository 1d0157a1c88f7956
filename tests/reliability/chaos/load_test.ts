/**
 * Deposits and withdrawals of several pools, coins and jettons, through replicas with constant faults and
 * kills. At the end chain, database, trees and balances are equal. The plain run is short; `deno task
 * test:deep` runs for an hour with thousands of notes.
 */
import { ok } from "node:assert/strict";
import { depth, isDeep, seed } from "../../../testkit/random/property_runs.ts";
import { pgbouncerServer } from "../../../testkit/servers/pgbouncer.ts";
import { redisServer } from "../../../testkit/servers/services.ts";
import { runCampaign } from "../../../testkit/chaos/campaign.ts";
import { figures, loadPlan } from "../../../testkit/chaos/load_plan.ts";

Deno.test({
  name:
    "load (postgres, pgbouncer, redis): notes of three pools are deposited and withdrawn, and all books balance",
  ignore: !await pgbouncerServer() || !await redisServer(),
  async fn() {
    const report = await runCampaign(loadPlan({ seed, depth, onProgress: isDeep ? console.log : undefined }));
    console.log(figures(report));
    ok(report.paid === report.deposits && report.kills > 0);
  },
});
