/**
 * The queries that a batch waits for before it is signed, and changes in the meantime. Runs the relayer's
 * core on virtual time.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { ROOT_HISTORY_SIZE } from "../../../src/core/tree/merkle_tree.ts";
import { DUE_AT, startQueueScenario } from "./queued_withdrawals.ts";

const SLOW_MS = 3_000;
/** The maximum delay of the endpoint itself. */
const ENDPOINT_MS = 800;

Deno.test("a batch fetches its quotes concurrently, each once", async () => {
  const requests: string[] = [];
  let open = 0;
  let most = 0;
  let first = 0;
  let last = 0;
  const refunds = [0n, 1n, 2n];
  // 36 withdrawals from four pools need twelve different queries.
  const waiting = Array.from({ length: 36 }, (_, i) => ({ pool: i % 4, refund: refunds[i % 3] }));
  const { time, world, store, jobs, pools, end } = await startQueueScenario({
    wallet: "v5R1",
    pools: 4,
    queued: waiting,
    get: (get, { time }) => async (address, method, args, ...rest) => {
      if (method !== "get_withdraw_value") return await get(address, method, args, ...rest);
      requests.push(
        JSON.stringify([address.toRawString(), String(args![0].type === "int" && args![0].value)]),
      );
      first ||= time.now();
      most = Math.max(most, ++open);
      await time.delay(SLOW_MS);
      open--;
      last = time.now();
      return await get(address, method, args, ...rest);
    },
  });
  await time.run(() => pools.every(({ spent }) => spent.size === 9), DUE_AT + 300_000);
  await time.run(() => false, time.now() + 60_000);
  for (const job of jobs) equal((await store.job(job))!.state, "confirmed");
  equal(world.seqno, 8, "one transfer carried them all");
  deepEqual(requests.toSorted(), [...new Set(requests)].toSorted(), "nothing was asked twice");
  equal(requests.length, 12);
  ok(most > 1 && most <= 4, `${most} were asked at once`);
  ok(last - first <= 12 / 4 * (SLOW_MS + ENDPOINT_MS), `the batch waited for ${(last - first) / 1_000} s`);
  for (const count of world.arrivals.values()) equal(count, 1, "each message reached its pool once");
  end();
});

Deno.test("a withdrawal whose root expires while quotes are fetched is not sent, and delays no other", async () => {
  let moved = false;
  const { time, world, pools: [busy, calm], random, stateOf, end } = await startQueueScenario({
    wallet: "v4R2",
    pools: 2,
    queued: [{ pool: 0 }, { pool: 1 }],
    get: (get, { time }) => async (address, method, ...rest) => {
      if (method === "get_withdraw_value") {
        if (!moved) { for (let i = 0; i < ROOT_HISTORY_SIZE; i++) world.deposit(busy, random.element()); }
        moved = true;
        await time.delay(9_000); // the relayer queries the pool again in this time
      }
      return await get(address, method, ...rest);
    },
  });
  ok(await time.run(() => calm.spent.size === 1, DUE_AT + 120_000), "the other pool's is paid");
  await time.run(() => false, time.now() + 60_000);
  deepEqual([await stateOf(0), await stateOf(1)], ["expired", "confirmed"]);
  equal(world.refused.size, 0, "nothing was sent that the pool refuses");
  deepEqual([...world.arrivals.keys()], [2n]);
  end();
});
