/**
 * Runs the relayer's core on virtual time, seed after seed. `TONADO_SIMULATION_SEED=n` runs one seed alone; a
 * failure names its seed.
 */
import { deepEqual, ok } from "node:assert/strict";
import process from "node:process";
import { depth, isDeep, seed } from "../../../testkit/random/property_runs.ts";
import { simulate } from "../../../testkit/simulation/run/simulation.ts";

const BLOCKS = 4;
const SEEDS_EACH = isDeep ? 50 * depth : 25;
const one = process.env.TONADO_SIMULATION_SEED;

if (one === undefined) {
  for (let block = 0; block < BLOCKS; block++) {
    const first = seed + block * SEEDS_EACH;
    Deno.test(`relayer simulation: seeds ${first} to ${first + SEEDS_EACH - 1} come out even`, async () => {
      await runSeeds(first, SEEDS_EACH);
    });
  }

  Deno.test("relayer simulation: a seed determines everything", async () => {
    const [first, again, other] = [await simulate(7), await simulate(7), await simulate(8)];
    deepEqual(first, again);
    ok(first.trace !== other.trace);
  });
} else {
  Deno.test(`relayer simulation: seed ${one} comes out even`, async () => {
    await runSeeds(Number(one), 1);
  });
}

async function runSeeds(first: number, count: number): Promise<void> {
  let [kills, withdrawals, frontRun, lies, inventions] = [0, 0, 0, 0, 0];
  for (let i = first; i < first + count; i++) {
    const report = await simulate(i).catch((cause) => {
      throw new Error(`TONADO_SIMULATION_SEED=${i}: ${cause.message}`, { cause });
    });
    kills += report.kills;
    withdrawals += report.withdrawals;
    frontRun += report.frontRun;
    lies += report.lies;
    inventions += report.forgeries;
  }
  // A run without any fault would prove nothing.
  if (count > 1) {
    const untrue = lies > count && inventions > count;
    ok(kills > count && withdrawals > count && frontRun > 0 && untrue, "the seeds were calm");
  }
}
