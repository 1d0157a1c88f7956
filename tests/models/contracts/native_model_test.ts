/**
 * The native pool through random histories: deposits, withdrawals and every kind of invalid ones, stray
 * messages, decades of idleness, other prices, a crowded set, a pool that is nearly full or lacks its money,
 * an owner who sweeps. After each message the pool is compared with a model by SPEC.md, and at the end every
 * note is paid.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { NativePoolDriver } from "../../support/contract_model/native_driver.ts";
import { assertCoverage, type OutcomeCounts } from "../../support/contract_model/coverage.ts";
import { CAPACITY } from "../../support/contract_model/pool_model.ts";
import { type Scenario, scenarios, unattendedScenarios } from "../../support/contract_model/scenarios.ts";
import {
  isDeep,
  isPlain,
  limitShrinking,
  propertyParameters,
} from "../../../testkit/random/property_runs.ts";

Deno.test("every note of a native pool is paid after any history, and every nano is accounted for", async () => {
  const tally: OutcomeCounts = new Map();
  const live = limitShrinking(100, async (history: Scenario) => {
    await (await NativePoolDriver.open(history, tally)).run();
  });
  await fc.assert(fc.asyncProperty(scenarios(60), live), propertyParameters(12));
  assertCoverage("native pool", tally, { deep: ["withdrawal without the bounce flag"] });
});

const sizes = [[600, 10, 5], ...isDeep ? [[CAPACITY, 5, 3]] : []];
for (const [notes, longest, runs] of sizes) {
  Deno.test({
    name:
      `a native pool of ${notes} notes, full, half full or emptied, pays the unspent ones after idle decades`,
    fn: async () => {
      const counts: OutcomeCounts = new Map();
      const run = limitShrinking(10, async (history: Scenario) => {
        await (await NativePoolDriver.open(history, counts)).run();
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
