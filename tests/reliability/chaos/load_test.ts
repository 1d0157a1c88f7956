/**
 * Notes of several pools, coins and jettons, in and out through replicas, with faults and kills all the while; in the end
 * chain, database, trees and balances are equal. The plain run is a short one; `deno task test:deep` takes an hour's worth,
 * thousands of notes.
 */
import { ok } from "node:assert/strict";
import { depth, isDeep, seed } from "../../support/property_runs.ts";
import { pooler } from "../../support/pgbouncer.ts";
import { redisServer } from "../../support/services.ts";
import { runCampaign } from "./campaign.ts";
import { figures, loadPlan } from "./load_plan.ts";

Deno.test({
  name:
    "load (postgres, pgbouncer, redis): notes of three pools go in and out, and everything comes out even",
  ignore: !await pooler() || !await redisServer(),
  async fn() {
    const report = await runCampaign(loadPlan({ seed, depth, onProgress: isDeep ? console.log : undefined }));
    console.log(figures(report));
    ok(report.paid === report.deposits && report.kills > 0);
  },
});
