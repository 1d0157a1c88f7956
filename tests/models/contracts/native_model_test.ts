/**
 * The native pool through histories that nobody wrote down: deposits, withdrawals and every kind of wrong one, strays,
 * decades of idleness, other prices, a crowded set, a pool nearly full or without its money, an owner who sweeps. After each
 * message the pool is compared with a model by SPEC.md, and in the end every note is paid.
 */
import fc from "fast-check";
import { NativeRun } from "../../support/native_run.ts";
import { reportTally, type Tally } from "../../support/pool_tally.ts";
import { histories, type History } from "../../support/pool_steps.ts";
import { runs, shrunkAtMost } from "../../support/property_runs.ts";

Deno.test("every note of a native pool is paid, whatever happens before, and every nano is accounted for", async () => {
  const tally: Tally = new Map();
  const live = shrunkAtMost(100, async (history: History) => {
    await (await NativeRun.open(history, tally)).live();
  });
  await fc.assert(fc.asyncProperty(histories(60), live), runs(12));
  reportTally("native pool", tally);
});
