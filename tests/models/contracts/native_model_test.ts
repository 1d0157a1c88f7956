/**
 * The native pool through histories that nobody wrote down: deposits, withdrawals and every kind of wrong one, strays,
 * decades of idleness, other prices, a crowded set, a pool nearly full or without its money, an owner who sweeps. After each
 * message the pool is compared with a model by SPEC.md, and in the end every note is paid.
 */
import fc from "fast-check";
import { NativePoolDriver } from "../../support/contract_model/native_driver.ts";
import { assertCoverage, type OutcomeCounts } from "../../support/contract_model/coverage.ts";
import { type Scenario, scenarios } from "../../support/contract_model/scenarios.ts";
import { limitShrinking, propertyParameters } from "../../../testkit/random/property_runs.ts";

Deno.test("every note of a native pool is paid, whatever happens before, and every nano is accounted for", async () => {
  const tally: OutcomeCounts = new Map();
  const live = limitShrinking(100, async (history: Scenario) => {
    await (await NativePoolDriver.open(history, tally)).run();
  });
  await fc.assert(fc.asyncProperty(scenarios(60), live), propertyParameters(12));
  assertCoverage("native pool", tally);
});
