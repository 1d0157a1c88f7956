import { equal, rejects } from "node:assert/strict";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { SpentSet } from "../../../core/protocol/v2/spent_set.ts";
import type { PoolEvent } from "../../../ton/pool/history/pool_events.ts";
import { emptyV2PoolState, encodeV2PoolData } from "../../../ton/pool/v2/pool_state.ts";
import { testAddress } from "../../../../testkit/simulation/scripted_pool.ts";
import { PoolState } from "../pool_state.ts";
import { SpentSetCheck } from "./spent_set_check.ts";

const key = (n: number) => (BigInt(n) << 12n) | 5n; // keys of one slot, so that their order matters

async function scene(known: readonly bigint[], spent: readonly bigint[], version = 2) {
  const deployment = { address: testAddress(1), asset: "native", denomination: 10n, version } as Deployment;
  const pool = new PoolState("native-10-v2", deployment, 1, "localnet");
  const tx = { lt: 1n, hash: "" };
  const deposits = known.map((_, leafIndex) => ({ kind: "deposit", leafIndex, commitment: 1n, tx }));
  const settlement = { kind: "settlement", rootNumber: 0, end: known.length, newRoot: 1n, tx };
  const withdrawals = known.map((nullifierHash) => ({ kind: "withdrawal", nullifierHash, tx }));
  const events = known.length > 0 ? [...deposits, settlement, ...withdrawals] : [];
  await pool.tree.apply(events as unknown as PoolEvent[]);
  let reads = 0;
  const check = new SpentSetCheck();
  const stored = [...spent];
  const run = () =>
    check.run(pool, {
      account: () => {
        reads++;
        const set = new SpentSet();
        for (const nullifierHash of stored) set.add(nullifierHash);
        const empty = emptyV2PoolState({ denomination: 10n, owner: null, generation: 0 });
        const data = encodeV2PoolData({ ...empty, withdrawals: stored.length, spent: set });
        return Promise.resolve({ state: "active", balance: 0n, data, syncUtime: 0 });
      },
    }, new AbortController().signal);
  return { run, stored, reads: () => reads };
}

Deno.test("a matching set is compared only once", async () => {
  const { run, reads } = await scene([key(1), key(2)], [key(1), key(2)]);
  await run();
  await run();
  equal(reads(), 1);
});

const differences: [what: string, known: bigint[], spent: bigint[]][] = [
  ["a false nullifier hash", [key(1), key(3)], [key(1), key(2)]],
  ["another order", [1, 2, 3, 4, 5, 6].map(key), [6, 5, 4, 3, 2, 1].map(key)],
];
for (const [what, known, spent] of differences) {
  Deno.test(`spent set: ${what} is found, at each step until it is corrected`, async () => {
    const { run, reads } = await scene(known, spent);
    for (let i = 0; i < 2; i++) await rejects(run, { code: "chain_inconsistent" });
    equal(reads(), 2);
  });
}

Deno.test("the check waits until the indexer knows as many withdrawals as the pool", async () => {
  const { run, stored, reads } = await scene([key(1)], [key(2), key(3)]);
  await run();
  stored.splice(0, 2, key(1));
  await run();
  await run();
  equal(reads(), 2);
});

Deno.test("a pool of version 1 has none", async () => {
  const { run, reads } = await scene([], [key(1)], 1);
  await run();
  equal(reads(), 0);
});
