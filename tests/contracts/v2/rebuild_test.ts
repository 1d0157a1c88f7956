/** A tool can rebuild a pool's state from its logs, without the account. */
import assert from "node:assert/strict";
import { V2PoolRebuild } from "../../../src/ops/audit/v2/rebuilt_pool.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { decodePoolEvents } from "../../../src/ton/pool/history/event_decoder.ts";
import { decodeV2PoolData, encodeV2PoolData } from "../../../src/ton/pool/v2/pool_state.ts";
import { type V2Outcome, V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import { SeededRandom } from "../../../testkit/random/seeded_random.ts";
import { assertAccepted } from "../../support/contracts/v2_assertions.ts";

Deno.test("queue, tree, roots and spent set are rebuilt from the logs of a drawn history", async () => {
  const random = new SeededRandom(20);
  const sandbox = await V2Sandbox.open();
  const { pool } = sandbox;
  const logs = new V2PoolRebuild();
  const tree = new MerkleTree();
  const step = (outcome: V2Outcome) => {
    const { tx } = assertAccepted(outcome);
    const transaction = { id: { lt: tx.lt, hash: "00" }, prev: null, now: tx.now, raw: tx };
    for (const event of decodePoolEvents(pool.address, transaction)) logs.add(event);
  };
  const assertRebuilt = async (what: string) => {
    const stored = decodeV2PoolData(await pool.data());
    const { commitments, leaves, acceptedRoots, rootCount, spent, withdrawals, times, fault } = logs.result();
    assert.equal(fault, undefined);
    // The logs do not contain the gas that withdrawals must pay back.
    const { denomination, pending, debt } = stored;
    const rebuilt = encodeV2PoolData({
      denomination,
      pending,
      debt,
      ...times,
      paused: false,
      deposits: commitments.length,
      settled: leaves,
      withdrawals,
      spent,
      roots: acceptedRoots,
      rootCount,
      commitment: (leafIndex: number) => commitments[leafIndex],
      generation: 0,
      owner: (await pool.getPoolInfo()).owner,
    });
    assert.ok(rebuilt.equals(await pool.data()), what);
  };

  await assertRebuilt("a new pool");
  for (let round = 0; round < 12; round++) {
    for (let i = random.int(20, 60); i > 0; i--) step(await sandbox.deposit({ comment: random.chance(0.5) }));
    for (let i = random.int(0, 5); i > 0 && sandbox.settled < sandbox.commitments.length; i--) {
      pool.chain.now! += 30;
      const end = sandbox.batchEnd;
      tree.appendMany(sandbox.commitments.slice(sandbox.settled, end));
      step(await sandbox.settle({ newRoot: tree.root }));
    }
    if (sandbox.settled > 4 * (round + 1)) {
      step(await sandbox.withdraw());
      step(await sandbox.withdrawMany([{}, {}, {}]));
    }
    await assertRebuilt(`round ${round}`);
  }
  assert.ok(
    logs.result().leaves > 256 && logs.result().withdrawals > 8,
    "the history has all kinds of messages",
  );
});
