/**
 * An endpoint that drops, repeats, cuts, delays, replays and alters answers during deposits and withdrawals.
 */
import { ok } from "node:assert/strict";
import { depth, seed } from "../../../testkit/random/property_runs.ts";
import { postgresServer } from "../../../testkit/servers/services.ts";
import { runCampaign } from "../../../testkit/chaos/campaign.ts";

const stores = [
  { store: "kv", ignore: false },
  { store: "postgres", ignore: !await postgresServer() },
] as const;

for (const { store, ignore } of stores) {
  Deno.test({
    name:
      `hostile endpoint (${store}): deposits and withdrawals continue, and the database equals the chain exactly`,
    ignore,
    async fn() {
      const { faults, callsUnderFaults: stormCalls } = await runCampaign({
        seed,
        store,
        replicas: 1,
        wallet: "v4R2",
        pools: ["native-1", "jet-10"],
        waves: 2 * depth,
        notesPerWave: 4,
        faultProbability: 0.3,
        kills: 0,
        killAt: "anywhere",
        fuzzedRequests: 50 * depth,
      });
      const count = [...faults.values()].reduce((all, count) => all + count, 0);
      ok(count * 20 > stormCalls, "a storm that touches nothing would prove nothing");
    },
  });
}
