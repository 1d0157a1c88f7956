/**
 * An endpoint with false data delays payouts only while it does so, and for the lifetime of one transfer. No
 * message reaches its pool twice, and no restart is needed. The test runs the relayer's core on virtual time.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Job } from "../../../src/store/store.ts";
import { Pool } from "../../../src/ton/pool/pool.ts";
import type { Wallet } from "../../../src/ton/wallet/wallet.ts";
import { Address, Cell } from "@ton/core";
import { type EndpointLie, withLies } from "../../../testkit/simulation/lying_endpoint.ts";
import {
  DUE_AT,
  type QueueOptions,
  type QueueScenario,
  STARTED_AT,
  startQueueScenario,
} from "./queued_withdrawals.ts";

const YEAR = 365 * 86_400;
const LIE_MS = 30_000;
/**
 * The lifetime of a transfer that cannot be included (60 s), the difference between clocks and nodes, and the
 * next transfer's delivery.
 */
const RECOVERED_MS = 240_000;

const ahead = (seconds: number) => (honest: number) => honest + seconds;

const lies: [what: string, lie: EndpointLie][] = [
  ["a seqno far too high", { seqno: () => 1_000 }],
  ["a seqno one too high", { seqno: ahead(1) }],
  ["a seqno too low", { seqno: ahead(-1) }],
  ["no transfer ever", { seqno: () => 0 }],
  ["a time that is a year ahead", { time: ahead(YEAR) }],
  ["a time that is two minutes ahead", { time: ahead(120) }],
  ["a time that is two minutes behind", { time: ahead(-120) }],
  ["a time that is a year behind", { time: ahead(-YEAR) }],
  ["the seqno and the time of another year", { seqno: () => 1_000, time: ahead(YEAR) }],
  ["a head of another age", { head: () => 2 ** 40 }],
];

async function startLying(plan: Partial<QueueOptions>, lie: () => EndpointLie): Promise<QueueScenario> {
  return await startQueueScenario({
    wallet: "v5R1",
    pools: 1,
    queued: [{ pool: 0 }, { pool: 0 }],
    ...plan,
    chain: (chain, world) => withLies(chain, world, lie),
  });
}

async function untilPaid({ time, pools: [pool], jobs }: QueueScenario, end: number): Promise<void> {
  ok(await time.run(() => pool.spent.size === jobs.length, end), `${pool.spent.size} are paid`);
}

async function comesOutEven(queue: QueueScenario): Promise<void> {
  const { time, world, store, jobs, relayer, stateOf } = queue;
  await time.run(() => false, time.now() + 300_000);
  for (const i of jobs.keys()) equal(await stateOf(i), "confirmed");
  deepEqual([...world.arrivals.values()], jobs.map(() => 1), "each message reached its pool once");
  equal(await store.transfer(), undefined);
  equal(relayer.readiness().ready, true);
  equal((await relayer.health()).dependencies.chain?.reason, undefined);
}

for (const [what, reported] of lies) {
  for (const wallet of ["v4R2", "v5R1"] as const) {
    Deno.test(`lies: ${wallet} still sends after an endpoint that reports ${what} while it signs`, async () => {
      let lie = {};
      const queue = await startLying({ wallet }, () => lie);
      await queue.time.run(() => false, DUE_AT - 5_000);
      lie = reported;
      await queue.time.run(() => false, DUE_AT + LIE_MS);
      lie = {};
      await untilPaid(queue, queue.time.now() + RECOVERED_MS);
      await comesOutEven(queue);
      queue.end();
    });
  }

  Deno.test(`lies: ${what}, reported while a transfer is in flight, sends nothing twice`, async () => {
    let lie = {};
    const queue = await startLying({}, () => lie);
    const { time, store } = queue;
    let signed = false;
    while (!signed && time.now() < DUE_AT + 120_000) {
      await time.run(() => false, time.now() + 100);
      signed = await store.transfer() !== undefined;
    }
    lie = reported;
    await time.run(() => false, time.now() + LIE_MS);
    lie = {};
    await untilPaid(queue, time.now() + RECOVERED_MS);
    await comesOutEven(queue);
    queue.end();
  });
}

Deno.test("a chain time that differs from our clock is reported, and nothing is signed by it", async () => {
  let lie: EndpointLie = { time: ahead(YEAR) };
  const queue = await startLying({}, () => lie);
  const { time, store, relayer, world } = queue;
  await time.run(() => false, DUE_AT + 600_000);
  equal(await store.transfer(), undefined);
  equal(world.arrivals.size, 0);
  const { chain } = (await relayer.health()).dependencies;
  equal(chain.state, "degraded");
  match(chain.reason!, /time/);
  lie = {};
  await untilPaid(queue, time.now() + RECOVERED_MS);
  await comesOutEven(queue);
  queue.end();
});

Deno.test("with a second endpoint for get methods, a false seqno of the first delays nothing", async () => {
  const queue = await startLying({ verified: true }, () => ({ seqno: () => 1_000 }));
  await untilPaid(queue, DUE_AT + 60_000);
  queue.end();
});

/** Returns a transfer with `jobs`, signed by a relayer that trusted its endpoint. */
function signedBy(wallet: Wallet, jobs: readonly Job[], seqno: number, signedAt: number) {
  const messages = jobs.map((job) => {
    const pool = new Pool(undefined as never, Address.parse(job.pool));
    const { recipient, proof } = job.message!;
    return pool.buildWithdrawMessage({
      ...job,
      recipient: Address.parse(recipient),
      relayer: wallet.address,
      proof: Cell.fromBase64(proof),
      value: 100_000_000n,
    });
  });
  const { message, hash, validUntil } = wallet.sign({ seqno, validUntil: signedAt + 60, messages });
  const named = jobs.map(({ pool, nullifierHash, queryId }) => ({ pool, nullifierHash, queryId }));
  return { seqno, validUntil, hash, boc: new Uint8Array(message.toBoc()), jobs: named, signedAt };
}

const FIRST_SEQNO = 7;
for (
  const [what, seqno, late] of [
    ["a seqno that the chain does not have and of another year", 1_000, YEAR],
    ["a seqno that the chain does not have", 1_000, 0],
    ["a seqno that is used up, of another year", FIRST_SEQNO - 1, YEAR],
    ["the next seqno and of another year", FIRST_SEQNO, YEAR],
  ] as const
) {
  Deno.test(`a transfer in the journal with ${what} delays nothing`, async () => {
    const queue = await startLying({
      inherited: async ({ store, jobs, wallet }) =>
        await store.beginTransfer(signedBy(wallet, jobs, seqno, STARTED_AT / 1000 + late)),
    }, () => ({}));
    await untilPaid(queue, DUE_AT + RECOVERED_MS);
    await comesOutEven(queue);
    queue.end();
  });
}
