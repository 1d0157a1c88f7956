/** The requirements on every store for the events of a pool: apply, read and roll back. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { readLeaves } from "../../../testkit/relayer/leaf_batches.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import type { LogEntry } from "../../../src/store/store.ts";
import {
  apply,
  at,
  confirm,
  deposit,
  job,
  keep,
  leaf,
  otherPool,
  pool,
  testStores,
  withdrawal,
} from "../../support/store/stores.ts";

testStores("applied events survive a restart", async (store, reopen) => {
  await apply(store, [deposit(0), withdrawal(1, 77n), deposit(1)], undefined, 9);
  const again = await reopen();
  deepEqual(await again.cursor(pool), at(9));
  deepEqual(await readLeaves(again, pool), [leaf(0), leaf(1)]);
  const { leafIndex, timestamp, txHash } = (await again.deposit(pool, 1))!;
  deepEqual([leafIndex, timestamp, txHash], [1, 1_700_000_001, at(1).hash]);
  deepEqual((await again.withdrawal(pool, 77n))!.txHash, at(1).hash);
});

testStores("a pool does not see another pool's rows", async (store) => {
  await apply(store, [deposit(0), withdrawal(1, 77n)], undefined, 9);
  equal(await store.cursor(otherPool), undefined);
  equal(await store.deposit(otherPool, 0), undefined);
  equal(await store.withdrawal(otherPool, 77n), undefined);
  deepEqual(await readLeaves(store, otherPool), []);
});

testStores("leaves come in order from the requested one on, wherever pages end", async (store, reopen) => {
  const count = 2_345;
  const requests = [0, 1, 1_023, 1_024, 1_025, 1_100, 2_047, 2_048, 2_049, count - 1, count, count + 5_000];
  for (let i = 0, from: number | undefined; i < count; from = i - 1) {
    const events = Array.from({ length: Math.min(store.batchLimit, count - i) }, (_, k) => deposit(i + k));
    i += events.length;
    await apply(store, events, from, i - 1);
    deepEqual((await readLeaves(store, pool, i - 1)).map(({ leafIndex }) => leafIndex), [i - 1]);
  }
  const again = await reopen();
  for (const from of requests) {
    const expected = Array.from({ length: Math.max(0, count - from) }, (_, k) => leaf(from + k));
    deepEqual(await readLeaves(again, pool, from), expected, `from ${from}`);
  }
});

testStores("leaves of a store that lacks a row continue behind the gap, with their index", async (store) => {
  const missing = new Set([0, 5, 6, 1_023, 1_500, 2_048]);
  const left = Array.from({ length: 2_200 }, (_, i) => i).filter((i) => !missing.has(i));
  for (let i = 0, from: number | undefined; i < left.length; from = i) {
    const events = left.slice(i, i + 90).map(deposit);
    i += events.length;
    await apply(store, events, from, i);
  }
  deepEqual((await readLeaves(store, pool)).map(({ leafIndex }) => leafIndex), left);
});

testStores(
  "a rollback removes rows and pages, and leaves the others unchanged",
  async (store, reopen) => {
    const count = 1_100;
    for (let i = 0, from: number | undefined; i < count;) {
      const events = Array.from(
        { length: Math.min(store.batchLimit, count - i) },
        (_, k) => deposit(i + k),
      );
      i += events.length;
      await apply(store, events, from, from = i);
    }
    await store.addJob(job(77n), () => false);
    await store.addJob(job(78n), () => false);
    await apply(store, [withdrawal(1_101, 77n), withdrawal(1_102, 78n)], count, 2_000, confirm);
    const rollback = { pool, from: at(2_000), to: at(700), keptLeafCount: 700, nullifierHashes: [78n] };
    await store.rollBack(rollback, (found) => ({ ...found, state: "expired" }));
    const again = await reopen();
    deepEqual(await again.cursor(pool), at(700));
    deepEqual(await readLeaves(again, pool), Array.from({ length: 700 }, (_, i) => leaf(i)));
    equal(await again.deposit(pool, 700), undefined);
    ok(await again.deposit(pool, 699));
    deepEqual((await Array.fromAsync(again.withdrawals(pool))).map((row) => row.nullifierHash), [77n]);
    const states = [77n, 78n].map(async (nullifierHash) => (await again.job({ pool, nullifierHash }))!.state);
    deepEqual(await Promise.all(states), ["confirmed", "expired"]);
    await apply(again, [{ ...deposit(700), commitment: 5n }, withdrawal(1_103, 78n)], 700, 701, confirm);
    deepEqual(await readLeaves(again, pool, 700), [{ ...leaf(700), commitment: 5n }]);
    equal((await again.job({ pool, nullifierHash: 78n }))!.state, "confirmed");
  },
);

testStores("a pool can be rolled back completely, and the next batch is its first", async (store) => {
  await apply(store, [deposit(0), withdrawal(1, 77n)], undefined, 9);
  await store.rollBack(
    { pool, from: at(9), to: undefined, keptLeafCount: 0, nullifierHashes: [77n] },
    keep,
  );
  equal(await store.cursor(pool), undefined);
  await apply(store, [deposit(0)], undefined, 3);
  deepEqual(await readLeaves(store, pool), [leaf(0)]);
  equal(await store.withdrawal(pool, 77n), undefined);
});

testStores("a rollback from another cursor than the stored one is refused", async (store) => {
  await apply(store, [deposit(0), withdrawal(1, 77n)], undefined, 9);
  const rollback = { pool, from: at(8), to: undefined, keptLeafCount: 0, nullifierHashes: [77n] };
  await rejects(store.rollBack(rollback, keep), { code: "store_conflict" });
  deepEqual(await readLeaves(store, pool), [leaf(0)]);
  ok(await store.withdrawal(pool, 77n));
});

testStores("every payment of a pool is read, and none of another pool", async (store) => {
  await apply(store, [withdrawal(1, 0n), withdrawal(2, 2n ** 250n), withdrawal(3, 7n)], undefined, 9);
  const rows = await Array.fromAsync(store.withdrawals(pool));
  deepEqual(rows.map((row) => row.nullifierHash).sort((a, b) => Number(a - b)), [0n, 7n, 2n ** 250n]);
  deepEqual(await Array.fromAsync(store.withdrawals(otherPool)), []);
});

testStores("a batch that does not continue the cursor leaves neither rows nor cursor", async (store) => {
  await apply(store, [deposit(0)], undefined, 5);
  for (const from of [undefined, 4, 6]) {
    await rejects(apply(store, [deposit(1), withdrawal(2, 77n)], from, 8), { code: "store_conflict" });
  }
  deepEqual(await store.cursor(pool), at(5));
  equal(await store.deposit(pool, 1), undefined);
  equal(await store.withdrawal(pool, 77n), undefined);
});

testStores("of two writers that continue the same cursor, one succeeds", async (store) => {
  const outcomes = await Promise.allSettled([
    apply(store, [deposit(0)], undefined, 5),
    apply(store, [deposit(0)], undefined, 6),
  ]);
  deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});

testStores("a commitment may have several leaves", async (store, reopen) => {
  await apply(store, [deposit(0), { ...deposit(1), commitment: deposit(0).commitment }], undefined, 5);
  const again = await reopen();
  const hashes = await Promise.all([0, 1].map(async (i) => (await again.deposit(pool, i))!.txHash));
  deepEqual(hashes, [at(0).hash, at(1).hash]);
});

testStores("a pool's log comes in order, and a rollback shortens it", async (store, reopen) => {
  const entry = (position: number): LogEntry => ({
    position,
    kind: position % 3 === 0 ? "settlement" : "payment",
    value: 2n ** 250n + BigInt(position),
    settled: position,
    txHash: at(position).hash,
  });
  const entries = Array.from({ length: 12 }, (_, i) => entry(i));
  await store.apply({ pool, events: [], from: undefined, to: at(3), log: entries.slice(0, 5) }, keep);
  await store.apply({ pool, events: [], from: at(3), to: at(9), log: entries.slice(5) }, keep);
  const again = await reopen();
  deepEqual(await Array.fromAsync(again.poolLog(pool, 0)), entries);
  deepEqual(await Array.fromAsync(again.poolLog(pool, 10)), entries.slice(10));
  deepEqual(await Array.fromAsync(again.poolLog(otherPool, 0)), []);
  const rollback = { pool, from: at(9), to: at(3), keptLeafCount: 0, nullifierHashes: [] };
  await again.rollBack({ ...rollback, keptLogLength: 5 }, keep);
  deepEqual(await Array.fromAsync(again.poolLog(pool, 0)), entries.slice(0, 5));
});

Deno.test("an embedded store of an earlier release gets a log of its payments, in the order of their blocks", async () => {
  const directory = await Deno.makeTempDir({ prefix: "tonado-log-" });
  try {
    const store = await openKvStore(directory);
    const payments = Array.from({ length: 100 }, (_, i) => ({ ...withdrawal(i, BigInt(1_000 - i)) }));
    await apply(store, payments.slice(0, 60), undefined, 59);
    await apply(store, payments.slice(60), 59, 99);
    await store.close();
    const kv = await Deno.openKv(`${directory}/tonado.kv`);
    await kv.set(["version"], new TextEncoder().encode("4"));
    kv.close();
    for (const opening of ["raised", "opened again"]) {
      const again = await openKvStore(directory);
      const log = await Array.fromAsync(again.poolLog(pool, 0));
      deepEqual(
        log.map(({ position, value }) => [position, value]),
        payments.map((each, i) => [i, each.nullifierHash]),
        opening,
      );
      await again.close();
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
