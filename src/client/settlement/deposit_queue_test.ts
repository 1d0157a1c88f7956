import { deepEqual, equal, rejects } from "node:assert/strict";
import { poolAddress, ScriptedPool, testAddress } from "../../../testkit/simulation/scripted_pool.ts";
import { depositLog, settlementLog } from "../../../testkit/simulation/transactions.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import { DepositQueueReader } from "./deposit_queue.ts";

function openQueue() {
  const scene = new ScriptedPool({ kind: 2, denomination: 10n });
  const reader = new DepositQueueReader(new V2Pool(scene.chain, poolAddress));
  const read = async () => {
    const progress: number[] = [];
    const { tree, waiting } = await reader.read({ onProgress: (count) => void progress.push(count) });
    return { leaves: Array.from({ length: tree.size }, (_, i) => tree.leaf(i)), waiting, progress };
  };
  return { scene, read };
}

Deno.test("a queue has the settled deposits in a tree and the others in order, and reads only what is new", async () => {
  const { scene, read } = openQueue();
  deepEqual((await read()).waiting, []);
  scene.deposit(1n);
  scene.deposit(2n);
  deepEqual(await read(), { leaves: [], waiting: [1n, 2n], progress: [2] });
  scene.settle();
  scene.deposit(3n);
  deepEqual(await read(), { leaves: [1n, 2n], waiting: [3n], progress: [2] });
  deepEqual(await read(), { leaves: [1n, 2n], waiting: [3n], progress: [] });
});

const contradictions = {
  "a deposit that skips a leaf": (scene: ScriptedPool) => depositLog(9n, 5, scene.chainTime),
  "a settlement of more deposits than wait": (scene: ScriptedPool) =>
    settlementLog(0, scene.tree.root, 3, scene.chainTime),
  "a settlement of nothing": (scene: ScriptedPool) => settlementLog(0, scene.tree.root, 0, scene.chainTime),
};

for (const [name, logOf] of Object.entries(contradictions)) {
  Deno.test(`${name} is refused, and the next read begins anew`, async () => {
    const { scene, read } = openQueue();
    scene.deposit(1n);
    await read();
    scene.add(poolAddress, { from: testAddress(1), logs: [logOf(scene)] });
    await rejects(read(), { code: "chain_inconsistent" });
    scene.removeNewest(poolAddress, 1);
    deepEqual((await read()).waiting, [1n]);
  });
}

Deno.test("logs that do not give a root of the pool are refused, and read again", async () => {
  const { scene, read } = openQueue();
  scene.deposit(1n);
  scene.settle();
  const history = scene.getters.get_root_history;
  scene.getters.get_root_history = () => [{
    type: "tuple",
    items: Array.from({ length: 30 }, () => ({ type: "int" as const, value: 7n })),
  }];
  await rejects(read(), { code: "chain_inconsistent", message: /do not give its root/ });
  scene.getters.get_root_history = history;
  const { leaves, progress } = await read();
  deepEqual(leaves, [1n]);
  equal(progress.at(-1), 3, "from the beginning");
});
