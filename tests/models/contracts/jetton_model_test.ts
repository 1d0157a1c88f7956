/**
 * The jetton pool through the same kinds of histories as the native one (native_model_test.ts), with real
 * jetton contracts. Its wallet always holds a denomination for each unspent note and all gifts, and each
 * message's coins pay for everything that it causes.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { JettonPoolDriver } from "../../support/contract_model/jetton_driver.ts";
import { assertCoverage, type OutcomeCounts } from "../../support/contract_model/coverage.ts";
import { CAPACITY } from "../../support/contract_model/pool_model.ts";
import { type Scenario, scenarios, unattendedScenarios } from "../../support/contract_model/scenarios.ts";
import {
  isDeep,
  isPlain,
  limitShrinking,
  propertyParameters,
} from "../../../testkit/random/property_runs.ts";

Deno.test("every note of a jetton pool is paid after any history, and every nano is accounted for", async () => {
  const tally: OutcomeCounts = new Map();
  const live = limitShrinking(100, async (history: Scenario) => {
    await (await JettonPoolDriver.open(history, tally)).run();
  });
  await fc.assert(fc.asyncProperty(scenarios(60), live), propertyParameters(16));
  assertCoverage("jetton pool", tally, {
    always: [
      "wallet locked",
      "payout refused",
      "claim paid",
      "withdrawal without the bounce flag",
      "retry with the bounce flag",
      "retry without the bounce flag",
      "ERR_UNKNOWN_CLAIM",
    ],
    deep: [
      "gift of jettons",
      "ERR_NOT_JETTON_WALLET",
      "ERR_NOT_MASTER",
      "ERR_PAYOUTS_BLOCKED",
      "return refused",
      "retry refused",
    ],
  });
});

const sizes = [[600, 10, 5], ...isDeep ? [[CAPACITY, 5, 3]] : []];
for (const [notes, longest, runs] of sizes) {
  Deno.test({
    name:
      `a jetton pool of ${notes} notes, full, half full or emptied, pays the unspent ones after idle decades`,
    fn: async () => {
      const counts: OutcomeCounts = new Map();
      const run = limitShrinking(10, async (history: Scenario) => {
        await (await JettonPoolDriver.open(history, counts)).run();
      });
      // A message of a full pool takes seconds, so the depth does not multiply these runs.
      const parameters = { ...propertyParameters(runs), ...notes === CAPACITY && { numRuns: runs } };
      await fc.assert(fc.asyncProperty(unattendedScenarios(longest, notes), run), parameters);
      if (notes !== CAPACITY && (isPlain || isDeep)) {
        assert.ok(counts.get("left alone for a decade"), "no pool was left alone for long");
      }
    },
  });
}
