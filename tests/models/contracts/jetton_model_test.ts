/**
 * The jetton pool through the same kinds of histories as the native one (native_model_test.ts), with real jetton contracts
 * around it: its wallet holds a denomination for each unspent note and what was given to it, always, and coins pay for all
 * they cause.
 */
import fc from "fast-check";
import { JettonRun } from "../../support/jetton_run.ts";
import { reportTally, type Tally } from "../../support/pool_tally.ts";
import { histories, type History } from "../../support/pool_steps.ts";
import { runs, shrunkAtMost } from "../../support/property_runs.ts";

Deno.test("every note of a jetton pool is paid, whatever happens before, and every nano is accounted for", async () => {
  const tally: Tally = new Map();
  const live = shrunkAtMost(100, async (history: History) => {
    await (await JettonRun.open(history, tally)).live();
  });
  await fc.assert(fc.asyncProperty(histories(60), live), runs(12));
  reportTally("jetton pool", tally, ["gift of jettons", "ERR_NOT_JETTON_WALLET", "ERR_NOT_MASTER"]);
});
