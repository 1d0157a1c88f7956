/**
 * The jetton pool through the same kinds of histories as the native one (native_model_test.ts), with real jetton contracts
 * around it: its wallet holds a denomination for each unspent note and what was given to it, always, and coins pay for all
 * they cause.
 */
import fc from "fast-check";
import { JettonPoolDriver } from "../../support/contract_model/jetton_driver.ts";
import { assertCoverage, type OutcomeCounts } from "../../support/contract_model/coverage.ts";
import { type Scenario, scenarios } from "../../support/contract_model/scenarios.ts";
import { limitShrinking, propertyParameters } from "../../../testkit/random/property_runs.ts";

Deno.test("every note of a jetton pool is paid, whatever happens before, and every nano is accounted for", async () => {
  const tally: OutcomeCounts = new Map();
  const live = limitShrinking(100, async (history: Scenario) => {
    await (await JettonPoolDriver.open(history, tally)).run();
  });
  await fc.assert(fc.asyncProperty(scenarios(60), live), propertyParameters(12));
  assertCoverage("jetton pool", tally, ["gift of jettons", "ERR_NOT_JETTON_WALLET", "ERR_NOT_MASTER"]);
});
