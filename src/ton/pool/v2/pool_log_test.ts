import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { poolAddress, ScriptedPool, testAddress } from "../../../../testkit/simulation/scripted_pool.ts";
import { forgeWithdrawalLog } from "../../../../testkit/simulation/forged_history.ts";
import { depositLog } from "../../../../testkit/simulation/transactions.ts";
import { V2Pool } from "./pool.ts";

function openPool() {
  const scene = new ScriptedPool({ kind: 2, denomination: 10n });
  return { scene, pool: new V2Pool(scene.chain, poolAddress) };
}

Deno.test("a log has the leaves of each commitment, the settled ones and the accepted roots", async () => {
  const { scene, pool } = openPool();
  for (const commitment of [5n, 6n, 5n]) scene.deposit(commitment);
  scene.settle();
  scene.deposit(7n);
  const log = await pool.readLog();
  deepEqual([5n, 6n, 7n, 8n].map((commitment) => log.leavesOf(commitment)), [[0, 2], [1], [3], []]);
  deepEqual([log.settled, log.acceptedRoots.length], [3, 1]);
  equal(log.rootNumber(log.acceptedRoots[0]), 0);
  throws(() => log.rootNumber(4n), { code: "unknown_root" });
});

Deno.test("a log has the keys of spent notes, in order", async () => {
  const { scene, pool } = openPool();
  for (const commitment of [5n, 6n]) scene.deposit(commitment);
  scene.settle();
  for (const nullifierHash of [9n + (1n << 108n), 8n]) {
    const log = forgeWithdrawalLog({ nullifierHash, fee: 0n, refund: 0n });
    scene.add(poolAddress, { from: testAddress(1), logs: [log] });
  }
  const log = await pool.readLog();
  deepEqual([...log.spentKeys], [9n, 8n]);
  deepEqual([7n, 8n, 9n].map((hash) => log.isSpent(hash)), [false, true, true]);
});

Deno.test("two updates at once add each deposit once", async () => {
  const { scene, pool } = openPool();
  for (const commitment of [5n, 6n]) scene.deposit(commitment);
  const [log, same] = await Promise.all([pool.readLog(), pool.readLog()]);
  equal(log, same);
  deepEqual([5n, 6n].map((commitment) => log.leavesOf(commitment)), [[0], [1]]);
});

Deno.test("after a contradiction, the next read begins anew, and an earlier log keeps what it had", async () => {
  const { scene, pool } = openPool();
  scene.deposit(5n);
  const log = await pool.readLog();
  scene.add(poolAddress, { from: testAddress(1), logs: [depositLog(9n, 5, scene.chainTime)] });
  await rejects(pool.readLog(), { code: "chain_inconsistent", message: /found leaf 5, expected leaf 1/ });
  deepEqual(log.leavesOf(5n), [0]);
  scene.removeNewest(poolAddress, 1);
  scene.deposit(6n);
  deepEqual((await pool.readLog()).leavesOf(6n), [1]);
});
