/**
 * Random histories of a version 2 native pool: deposits in both forms, wrong amounts, stray messages,
 * settlements of random sizes by two settlers, withdrawals alone and in batches, stale slots and roots,
 * pauses, other prices, decades of idleness, a full queue and a full pool. At the end every note is withdrawn
 * and the books balance.
 */
import assert from "node:assert/strict";
import { MAX_QUEUED, V2_POOL_CAPACITY } from "../../../src/core/protocol/v2/pool_constants.ts";
import type { V2PoolState } from "../../../src/ton/pool/v2/pool_state.ts";
import { freshElement } from "../../../testkit/chain/pool_sandbox.ts";
import { V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import { ENDOWMENT, V2NativeHistory } from "../../support/contract_model/v2_native_history.ts";

const YEAR = 31_557_600;

/** Opens a pool in a state, with its endowment and the coins of its notes. */
async function openHistory(seed: bigint, start: Partial<V2PoolState> = {}): Promise<V2NativeHistory> {
  const sandbox = await V2Sandbox.open({ prices: "old", balance: ENDOWMENT });
  const { deposits = 0, withdrawals = 0 } = start;
  const notes = BigInt(deposits - withdrawals) * sandbox.pool.denomination;
  await sandbox.setState({ touched: sandbox.pool.chain.now!, ...start }, ENDOWMENT + notes);
  return new V2NativeHistory(sandbox, seed, { touched: sandbox.pool.chain.now!, ...start });
}

for (const seed of [1n, 2n, 3n]) {
  Deno.test(`drawn history ${seed} of a native pool: the storage is the model's, and every note is paid`, async () => {
    const history = await openHistory(seed);
    const { chain } = history.sandbox.pool;
    for (let step = 0; step < 90; step++) {
      chain.now! += [0, 5, 40, 2000, 86_400][history.pick(5)];
      if (step === 30) history.setPrices("mainnet");
      if (step === 40) chain.now! += 20 * YEAR;
      if (step === 60) history.setPrices("old");
      await history.step();
    }
    await history.finish();
    for (const what of ["deposit", "deposit by comment", "settlement", "withdrawal", "batch"]) {
      assert.ok(history.counts.has(what), `no ${what}`);
    }
  });
}

Deno.test("drawn history of a native pool that fills up: it refuses further deposits, and pays its last notes", async () => {
  const settled = V2_POOL_CAPACITY - 30;
  const state = { deposits: settled, settled, withdrawals: settled - 2, roots: [freshElement()] };
  const history = await openHistory(4n, { ...state, commitment: () => 1n });
  for (let step = 0; step < 60; step++) {
    history.sandbox.pool.chain.now! += [0, 40, 2000][history.pick(3)];
    await history.step();
  }
  assert.ok(history.counts.get("ERR_POOL_FULL"), "it did not fill up");
  await history.finish();
});

Deno.test("a native pool whose queue is full refuses further deposits, and settlements make room again", async () => {
  const settled = 111; // one leaf before the edge of a chunk: a settlement makes room for one deposit
  const state = {
    deposits: settled + MAX_QUEUED,
    settled,
    withdrawals: settled - 9,
    roots: [freshElement()],
  };
  const history = await openHistory(5n, { ...state, commitment: (leafIndex) => BigInt(leafIndex) });
  while (!history.counts.get("ERR_QUEUE_FULL")) await history.deposit();
  while (history.closed) await history.settle();
  while (!history.closed) await history.deposit();
  await history.withdraw();
});
