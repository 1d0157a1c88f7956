import { beginCell } from "@ton/core";
import { deepEqual, equal, match } from "node:assert/strict";
import { fieldToBytes } from "../../core/crypto/field.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Deployment } from "../../core/protocol/deployments.ts";
import { storeWithdraw } from "../../core/protocol/messages/pool_messages.ts";
import { id, indexer, job, pay, recipient, relayer } from "../../../testkit/relayer/indexer_scene.ts";
import { int } from "../../../testkit/simulation/scripted_chain.ts";
import { poolAddress, testAddress } from "../../../testkit/simulation/scripted_pool.ts";

Deno.test("a leader stores deposits and payments, ends the jobs that they pay and serves the pool's tree", async () => {
  const { scene, store, ledger, run, readiness, leaves } = indexer();
  for (const n of [7n, 8n]) await store.addJob(job(n), () => false);
  for (let i = 1n; i <= 9n; i++) scene.deposit(i);
  const paid = pay(scene, 7n);
  let newest: unknown;
  scene.at(30_000, () => {
    scene.deposit(10n);
    newest = pay(scene, 8n, 51n);
  });
  const pool = await run(60_000);
  deepEqual([readiness(pool), pool.tree.root, await leaves()], ["ready", scene.tree.root, 10]);
  deepEqual(await store.cursor(id), newest);
  const jobs = await Promise.all([7n, 8n].map((nullifierHash) => store.job({ pool: id, nullifierHash })));
  deepEqual(jobs.map((job) => job!.state), ["confirmed", "superseded"], "the second paid another fee");
  deepEqual([jobs[0]!.txHash, jobs[0]!.message], [paid.hash, undefined]);
  deepEqual(ledger.map(({ kind, fee, gas }) => [kind, fee, gas]), [["withdrawal", 50n, 1_050n], [
    "withdrawal",
    51n,
    1_051n,
  ]]);
  equal(pool.roots[0], scene.tree.root);
});

Deno.test("a refusal fails the job whose message it is, and no other one", async () => {
  const { scene, store, run } = indexer();
  for (const n of [7n, 8n]) await store.addJob(job(n), () => false);
  scene.deposit(1n);
  for (const [from, queryId] of [[relayer, 7n], [testAddress(9), 8n], [relayer, 9n]] as const) {
    const nullifierHash = queryId === 7n ? 7n : 8n;
    const order = { queryId, root: 1n, nullifierHash, fee: 50n, refund: 0n, recipient, relayer };
    const body = storeWithdraw({ ...order, proof: beginCell().endCell() });
    scene.add(poolAddress, { from, body, exitCode: 105 });
  }
  await run(20_000);
  const jobs = await Promise.all([7n, 8n].map((nullifierHash) => store.job({ pool: id, nullifierHash })));
  deepEqual(jobs.map((job) => [job!.state, job!.failures]), [["failed", 1], ["broadcast", 0]]);
});

Deno.test("a replica that does not lead writes nothing, and serves what the leader has stored", async () => {
  const { scene, store, run, readiness } = indexer();
  scene.deposit(1n);
  await run(10_000);
  const cursor = await store.cursor(id);
  const follower = await run(30_000, { isLeader: false });
  deepEqual([readiness(follower), follower.tree.root], ["ready", scene.tree.root]);
  for (let i = 0n; i < 40n; i++) scene.deposit(100n + i);
  const late = await run(120_000, { isLeader: false });
  match(readiness(late), /rows|stored/);
  deepEqual([await store.cursor(id), late.tree.size], [cursor, 1]);
});

Deno.test("a version 2 pool is indexed with its queue, its settlements and its payments", async () => {
  const { scene, store, run, readiness } = indexer(2);
  for (let i = 1n; i <= 3n; i++) scene.deposit(i);
  Object.assign(scene.getters, { get_settle_info: () => [3, 1, 0, 0, 0, 1].map(int) });
  scene.settle();
  pay(scene, 7n);
  const pool = await run(20_000);
  const { settledPool } = pool;
  deepEqual(
    [settledPool!.size, settledPool!.rootCount, settledPool!.spentPage(0, 10).bytes],
    [3, 1, fieldToBytes(7n)],
    readiness(pool),
  );
  const log = await Array.fromAsync(store.poolLog(id, 0));
  deepEqual(log.map(({ kind, value }) => [kind, value]), [["settlement", scene.tree.root], ["payment", 7n]]);
});

const mismatches: [name: string, kind: 0 | 1 | 2, change: Partial<Deployment>, reason: RegExp][] = [
  [
    "other keys",
    0,
    { vkeyHash: "other" },
    /deployed for other verification keys \(other\) than this build's \(keys\)/,
  ],
  ["another code", 0, { codeHash: "00" }, /its code is [0-9a-f]{64}, not 00/],
  ["another denomination", 0, { denomination: 1n }, /its denomination is 10000000000, not 1/],
  ["jettons instead of coins", 1, { asset: "native" }, /it holds jetton, not native/],
  ["another jetton", 1, { jettonMaster: testAddress(9) }, /its jetton is .*, not /],
  ["another jetton wallet", 1, { jettonWallet: testAddress(9) }, /its jetton wallet is .*, not /],
];
for (const [name, kind, change, reason] of mismatches) {
  Deno.test(`a pool with ${name} than registered is refused, and none of its rows are stored`, async () => {
    const { scene, store, run, readiness } = indexer(kind, change);
    scene.deposit(1n);
    const pool = await run(10_000);
    match(readiness(pool), reason);
    deepEqual([await store.cursor(id), pool.tree.size], [undefined, 0]);
  });
}

Deno.test("an account without a contract is refused", async () => {
  const empty = indexer();
  empty.scene.accounts[id] = { state: "uninitialized" };
  match(empty.readiness(await empty.run(5_000)), /its account is uninitialized/);
});

Deno.test("a failing endpoint makes the pool not ready without naming it, until it responds again", async () => {
  const { scene, run, readiness, open } = indexer();
  scene.deposit(1n);
  const pool = open();
  const { transactions } = scene.chain;
  const seen: string[] = [];
  scene.at(20_000, () => {
    scene.chain.transactions = () =>
      Promise.reject(new Problem("chain_unavailable", "https://secret.example"));
  });
  scene.at(100_000, () => {
    seen.push(readiness(pool));
    scene.chain.transactions = transactions;
  });
  await run(150_000, { pool });
  deepEqual([/secret/.test(seen[0]), seen[0] === "ready", readiness(pool)], [false, false, "ready"]);
});

Deno.test("without the store, a pool whose root the chain knows is served from memory, and no other one", async () => {
  const { scene, store, run, readiness, open } = indexer();
  scene.deposit(1n);
  const pool = open();
  await run(10_000, { pool });
  Object.assign(store, { cursor: () => Promise.reject(new Problem("store_unavailable")) });
  await run(60_000, { pool });
  equal(readiness(pool), "ready");
  match(readiness(await run(10_000)), /store|database/i);
  for (let i = 0n; i < 40n; i++) scene.deposit(100n + i);
  await run(60_000, { pool });
  match(readiness(pool), /store|database/i);
});

Deno.test("deposits that the chain has and the history omits make the pool not ready after a minute", async () => {
  const { scene, run, readiness, open } = indexer();
  scene.deposit(1n);
  scene.deposit(2n);
  scene.removeNewest(poolAddress, 1);
  const pool = open();
  await run(50_000, { pool });
  equal(readiness(pool), "ready");
  match(readiness(await run(80_000)), /deposits that the endpoint's history does not show/);
});

for (const isFollowed of [false, true]) {
  Deno.test(
    `deposits that were never on the chain are removed after five minutes, and the rest is kept, ${
      isFollowed ? "also if real ones follow" : "also if nothing follows"
    }`,
    async () => {
      const { scene, store, run, readiness, leaves } = indexer();
      for (let i = 1n; i <= 3n; i++) scene.deposit(i);
      const paid = pay(scene, 7n);
      scene.deposit(98n);
      scene.deposit(99n);
      await run(10_000);
      equal(await leaves(), 5);
      scene.revertDeposits(2);
      if (isFollowed) scene.deposit(50n);
      const early = await run(299_000);
      deepEqual([await leaves(), readiness(early) === "ready"], [5, false]);
      const pool = await run(400_000);
      deepEqual([readiness(pool), await leaves(), pool.tree.root], [
        "ready",
        isFollowed ? 4 : 3,
        scene.tree.root,
      ]);
      equal((await store.withdrawal(id, 7n))?.txHash, paid.hash);
      if (!isFollowed) deepEqual(await store.cursor(id), paid);
    },
  );
}

Deno.test("a forged deposit and payment are removed although the get methods, which compare 114 bits, confirm them", async () => {
  const { scene, store, run, readiness, leaves } = indexer();
  const same114Bits = (key: bigint) => key + 2n ** 114n;
  scene.deposit(1n);
  scene.deposit(2n);
  pay(scene, 7n);
  scene.deposit(same114Bits(1n));
  pay(scene, same114Bits(7n));
  await run(10_000);
  deepEqual([await leaves(), await store.withdrawal(id, same114Bits(7n)) !== undefined], [3, true]);
  scene.removeNewest(poolAddress, 1);
  scene.spent.delete(same114Bits(7n));
  scene.revertDeposits(1);
  const pool = await run(700_000);
  deepEqual([readiness(pool), await leaves(), pool.tree.root], ["ready", 2, scene.tree.root]);
  equal(await store.withdrawal(id, same114Bits(7n)), undefined);
  equal(await store.withdrawal(id, 7n) !== undefined, true);
});

Deno.test("payments that were never on the chain reopen their jobs, unless the pool confirms them", async () => {
  for (const isConfirmed of [false, true]) {
    const { scene, store, run } = indexer();
    await store.addJob(job(7n), () => false);
    scene.deposit(1n);
    pay(scene, 7n);
    await run(10_000);
    scene.removeNewest(poolAddress, 1);
    if (!isConfirmed) scene.spent.clear();
    await run(700_000);
    const { state, reason } = (await store.job({ pool: id, nullifierHash: 7n }))!;
    deepEqual(
      [state, reason],
      isConfirmed ? ["confirmed", undefined] : ["expired", "its payment is not on chain"],
    );
    equal(await store.withdrawal(id, 7n) !== undefined, isConfirmed);
  }
});
