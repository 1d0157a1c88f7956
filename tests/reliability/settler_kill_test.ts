/** A small settler campaign. `deno task test:deep` runs a longer one, `deno task reliability` 10,000 deposits. */
import { equal, ok } from "node:assert/strict";
import { runSettlerCampaign } from "../../testkit/chaos/settler_campaign.ts";
import { depth, seed } from "../../testkit/random/property_runs.ts";
import { SeededRandom } from "../../testkit/random/seeded_random.ts";

Deno.test("with 8 concurrent senders and two relayers that are killed with -9, each deposit is settled once", async () => {
  const kills = 4 * depth;
  const report = await runSettlerCampaign({
    random: new SeededRandom(seed),
    senders: 8,
    settlers: 2,
    depositsPerTransfer: 16,
    kills,
    proofs: "forged",
    calmDeposits: 80,
    deposits: 400 * depth,
  });
  equal(report.deposits, 80 + 400 * depth);
  ok(report.kills >= kills);
  console.log(
    `${report.deposits} deposits, ${report.settlements} settlements (${report.settledBy.join(" and ")}), ` +
      `${report.refusedSettlements} refused, ${report.kills} kills, ${report.seconds.toFixed(0)} s, ` +
      `${report.calmRate.toFixed(1)} deposits a second undisturbed`,
  );
});
