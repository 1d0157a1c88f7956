/** An endpoint that temporarily appends forged transactions to a pool's history. */
import { readLeaves } from "../../../testkit/relayer/leaf_batches.ts";
import type { Store } from "../../../src/store/store.ts";
import { deepEqual, equal, ok } from "node:assert/strict";
import { TupleReader } from "@ton/core";
import { ROOT_HISTORY_SIZE } from "../../../src/core/tree/merkle_tree.ts";
import type { Chain } from "../../../src/ton/chain.ts";
import { withVerifier } from "../../../src/ton/endpoint/verified_chain.ts";
import {
  forgeDepositLog,
  forgeTransaction,
  forgeWithdrawalLog,
  withForgedHistory,
} from "../../../testkit/simulation/forged_history.ts";
import { DUE_AT, type QueueContext, type QueueScenario, startQueueScenario } from "./queued_withdrawals.ts";

const LIES_FROM = DUE_AT - 30_000;
const LIES_UNTIL = DUE_AT - 10_000;
const HOUR = 3_600_000;
const lying = ({ time }: Pick<QueueContext, "time">) => time.now() >= LIES_FROM && time.now() <= LIES_UNTIL;

/** Returns get methods that confirm a forgery: its root is the newest, and its payment is made. */
function bearingOut(
  get: Chain["runGetMethod"],
  { while: lies, root, nullifierHash }: {
    readonly while: () => boolean;
    readonly root?: () => bigint;
    readonly nullifierHash?: () => bigint;
  },
): Chain["runGetMethod"] {
  return async (address, method, args, options) => {
    const honest = await get(address, method, args, options);
    if (!lies()) return honest;
    if (method === "get_root_history" && root) {
      const items = honest.readTuple();
      const roots = Array.from({ length: ROOT_HISTORY_SIZE }, () => items.readBigNumber());
      const reported = [root(), ...roots].slice(0, ROOT_HISTORY_SIZE);
      return new TupleReader([{ type: "tuple", items: reported.map((value) => ({ type: "int", value })) }]);
    }
    const requests = args?.[0];
    if (method === "getIsSpent" && requests?.type === "int" && requests.value === nullifierHash?.()) {
      return new TupleReader([{ type: "int", value: -1n }]);
    }
    return honest;
  };
}

/** Asserts that database and chain agree, and that every withdrawal is paid and reported as paid. */
async function comesOutEven(queue: QueueScenario): Promise<void> {
  const { pools: [pool], store, jobs, relayer, world } = queue;
  const id = pool.address.toRawString();
  const rows = (await readLeaves(store, id)).map(({ commitment }) => commitment);
  equal(rows.join(), Array.from({ length: pool.tree.size }, (_, i) => pool.tree.leaf(i)).join());
  for (const [i, { nullifierHash }] of jobs.entries()) {
    ok(pool.spent.has(nullifierHash), `withdrawal ${i} is paid`);
    equal(await queue.stateOf(i), "confirmed");
    const real = world.accounts.get(id)!.transactions.map(({ id }) => id.hash);
    ok(real.includes((await store.withdrawal(id, nullifierHash))!.txHash), "by a transaction of the chain");
  }
  const { ready, pools } = relayer.readiness();
  ok(ready, JSON.stringify(pools));
  equal(relayer.root(pool.address), pool.tree.root);
}

for (const second of [false, true]) {
  const name = second ? "beside a second endpoint" : "whose get methods are honest";
  const plan = (make: (parts: QueueContext) => ReturnType<typeof forgeWithdrawalLog> | undefined) =>
    startQueueScenario({
      wallet: "v4R2",
      pools: 1,
      queued: [{ pool: 0 }, { pool: 0 }],
      chain: (chain, _, parts) => {
        const { address } = parts.pools[0];
        const liar = withForgedHistory(chain, address, {
          while: () => lying(parts),
          make: (tip) => [forgeTransaction(address, tip, make(parts))],
        });
        return second ? withVerifier(liar, chain) : liar;
      },
    });

  Deno.test(`an endpoint ${name} invents a payment: no withdrawal is confirmed by it`, async () => {
    const queue = await plan(({ jobs }) => forgeWithdrawalLog(jobs[0]));
    const { time, store, jobs: [{ pool, nullifierHash }] } = queue;
    let believed = false;
    const look = () => {
      store.withdrawal(pool, nullifierHash).then((row) =>
        believed ||= row !== undefined && time.now() < DUE_AT
      );
      return false;
    };
    await time.run(look, DUE_AT);
    equal(believed, false, "nothing is written of it");
    await time.run(() => false, DUE_AT + HOUR);
    await comesOutEven(queue);
    queue.end();
  });

  Deno.test(`an endpoint ${name} invents a deposit: its row is removed`, async () => {
    const queue = await plan(({ pools: [{ tree }], time }) =>
      forgeDepositLog(12_345n, tree.size, Math.floor(time.now() / 1000))
    );
    const { time, store, jobs: [{ pool }] } = queue;
    await time.run(() => false, DUE_AT);
    equal(await hasCommitment(store, pool, 12_345n), false, "nothing is written of it");
    await time.run(() => false, DUE_AT + HOUR);
    await comesOutEven(queue);
    queue.end();
  });
}

Deno.test("an endpoint whose responses are all false for a while: its rows are rolled back, and the note is paid", async () => {
  const queue = await startQueueScenario({
    wallet: "v4R2",
    pools: 1,
    queued: [{ pool: 0 }, { pool: 0 }],
    chain: (chain, _, parts) => {
      const { pools: [{ address, tree }], jobs } = parts;
      const lies = () => lying(parts);
      const liar = withForgedHistory(chain, address, {
        while: lies,
        make: (tip) => {
          const deposit = forgeTransaction(address, tip, forgeDepositLog(12_345n, tree.size, tip.now + 5));
          return [deposit, forgeTransaction(address, deposit, forgeWithdrawalLog(jobs[0]))];
        },
      });
      const get = bearingOut(chain.runGetMethod, {
        while: lies,
        root: () => tree.rootAfter(12_345n),
        nullifierHash: () => jobs[0].nullifierHash,
      });
      return { ...liar, runGetMethod: get };
    },
  });
  const { time, store, jobs: [job], pools: [pool], world, relayer } = queue;
  await time.run(() => false, DUE_AT);
  equal(await queue.stateOf(0), "superseded", "one endpoint alone is believed");
  ok(await hasCommitment(store, job.pool, 12_345n));
  world.deposit(pool, 99n); // the chain continues after the forged transactions

  await time.run(() => false, DUE_AT + HOUR);
  const { state, reason, txHash } = (await store.job(job))!;
  deepEqual([state, reason, txHash], ["expired", "its payment is not on chain", undefined]);
  equal(await store.withdrawal(job.pool, job.nullifierHash), undefined);
  equal(await hasCommitment(store, job.pool, 12_345n), false);
  ok(relayer.readiness().ready);

  equal(await store.addJob({ ...job, queryId: 77n }, (found) => found.state === "expired"), undefined);
  await time.run(() => false, DUE_AT + 2 * HOUR);
  await comesOutEven(queue);
  queue.end();
});

Deno.test("an endpoint that invents meaningless transactions delays a pool by minutes only", async () => {
  const queue = await startQueueScenario({
    wallet: "v4R2",
    pools: 1,
    queued: [{ pool: 0 }],
    chain: (chain, _, parts) => {
      const { address } = parts.pools[0];
      return withForgedHistory(chain, address, {
        while: () => lying(parts),
        make: (tip) => [forgeTransaction(address, tip, undefined)],
      });
    },
  });
  await queue.time.run(() => false, DUE_AT + HOUR);
  await comesOutEven(queue);
  queue.end();
});

Deno.test("an endpoint that returns an older history, however long, causes no rollback", async () => {
  let shownUntil = Infinity;
  const queue = await startQueueScenario({
    wallet: "v4R2",
    pools: 1,
    queued: [{ pool: 0 }],
    chain: (chain, _, { pools: [{ address }] }) => ({
      ...chain,
      async transactions(of, options) {
        if (!of.equals(address) || options.from) return await chain.transactions(of, options);
        const page = await chain.transactions(of, { ...options, limit: 100 });
        return page.filter(({ now }) => now <= shownUntil).slice(0, options.limit);
      },
    }),
  });
  const { time, pools: [pool], world, store, jobs: [job] } = queue;
  await time.run(() => pool.spent.size === 1, DUE_AT + HOUR);
  world.deposit(pool, 99n);
  await time.run(() => false, time.now() + 60_000);
  equal(await queue.stateOf(0), "confirmed");
  shownUntil = DUE_AT / 1000;
  await time.run(() => false, time.now() + 2 * HOUR);
  equal(await queue.stateOf(0), "confirmed");
  ok(await store.withdrawal(job.pool, job.nullifierHash));
  ok(await hasCommitment(store, job.pool, 99n));
  shownUntil = Infinity;
  await time.run(() => false, time.now() + 60_000);
  await comesOutEven(queue);
  queue.end();
});

async function hasCommitment(store: Store, pool: string, commitment: bigint): Promise<boolean> {
  return (await readLeaves(store, pool)).some((leaf) => leaf.commitment === commitment);
}
