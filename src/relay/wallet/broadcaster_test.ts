import { deepEqual, equal } from "node:assert/strict";
import { beginCell } from "@ton/core";
import {
  BroadcasterScene,
  ids,
  intervals,
  job,
  poolAddress,
  poolId,
  START_MS,
} from "../../../testkit/relayer/broadcaster_scene.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Job } from "../../store/store.ts";
import type { Settlements } from "../settler/settlements.ts";

const LIFETIME_MS = 60_000;

async function sceneWith(...jobs: Job[]): Promise<BroadcasterScene> {
  const scene = new BroadcasterScene();
  for (const each of jobs) await scene.store.addJob(each, () => false);
  return scene;
}
const jobsOf = (scene: BroadcasterScene, ...ns: number[]) =>
  Promise.all(ids(...ns).map(async (id) => (await scene.store.job(id))!));

Deno.test("a transfer is journaled, sent again until it is on chain, and never signed twice meanwhile", async () => {
  const scene = await sceneWith(job(1), job(2));
  scene.at(20_000, () => scene.include(0, [101n, 102n]));
  await scene.run(30_000);
  equal(scene.signed.length, 1);
  equal(scene.signed[0].seqno, 5);
  deepEqual(scene.signed[0].messages.map(({ to, value }) => [to.equals(poolAddress), value]), [
    [true, 130_000_000n],
    [true, 130_000_000n],
  ]);
  deepEqual(scene.sends.map(({ at }) => at), [0, 6_000, 12_000, 18_000]);
  equal(await scene.store.transfer(), undefined);
  for (const { state, seqno, messageHash } of await jobsOf(scene, 1, 2)) {
    deepEqual([state, seqno, messageHash], ["broadcast", 5, scene.transfers[0].hash]);
  }
  const booked = await Array.fromAsync(scene.store.ledger(0, Infinity));
  deepEqual(booked.map(({ pool, kind }) => [pool, kind]), [[poolId, "transfer"]]);
});

Deno.test("a transfer that is not included in time is not sent again, and its withdrawals are signed anew", async () => {
  const scene = await sceneWith(job(1));
  await scene.run(90_000);
  const [first, second] = scene.transfers;
  equal(first.validUntil, START_MS / 1000 + LIFETIME_MS / 1000);
  const end = scene.sends.findIndex(({ hash }) => hash !== first.hash);
  equal(scene.sends[end - 1].at <= LIFETIME_MS + 16_000, true);
  // 15 s for blocks that are dated later, and 2 s before the next attempt.
  equal(scene.sends[end].at >= LIFETIME_MS + 15_000 + 2_000, true);
  deepEqual([scene.transfers.length, second.jobs], [2, first.jobs]);
  const [{ attempts, notBefore, state }] = await jobsOf(scene, 1);
  deepEqual([state, attempts], ["broadcast", 1]);
  equal(notBefore! - START_MS >= LIFETIME_MS + 15_000 + 2_000, true);
});

Deno.test("a withdrawal that did not leave the wallet with its transfer is signed anew, and the others are not", async () => {
  const scene = await sceneWith(job(1), job(2));
  scene.at(4_000, () => scene.include(0, [101n]));
  await scene.run(20_000);
  deepEqual(scene.transfers.map(({ jobs }) => jobs.map(({ queryId }) => queryId)), [[101n, 102n], [102n]]);
  equal(scene.signed[1].seqno, 6);
});

Deno.test("a seqno that advanced without the transfer does not end it before its expiry, and is looked up once per transaction", async () => {
  const scene = await sceneWith(job(1));
  scene.at(4_000, () => scene.useElsewhere());
  scene.at(40_000, () => scene.useElsewhere());
  await scene.run(70_000);
  deepEqual([scene.transfers.length, scene.lookups], [1, 2]);
  equal((await scene.store.transfer())?.hash, scene.transfers[0].hash);
  equal(scene.sends.every(({ at }) => at <= 4_000), true, "the wallet refuses its seqno");
});

Deno.test("a transfer of an earlier run is followed, and not signed again", async () => {
  const scene = await sceneWith(job(1));
  const boc = new Uint8Array(beginCell().endCell().toBoc());
  const jobs = [{ ...ids(1)[0], queryId: 101n }];
  const validUntil = START_MS / 1000 + 30;
  await scene.store.beginTransfer({ seqno: 5, validUntil, hash: "aa", boc, jobs, signedAt: START_MS / 1000 });
  await scene.run(40_000);
  deepEqual([scene.signed.length, scene.transfers.length, scene.sends[0].at], [0, 1, 0]);
});

Deno.test("a replica that does not lead sends nothing, and sends once it leads", async () => {
  const scene = await sceneWith(job(1));
  scene.isLeader = false;
  scene.at(20_000, () => scene.isLeader = true);
  await scene.run(30_000);
  deepEqual(scene.sends.map(({ at }) => at), [20_000, 26_000]);
});

const closed: [name: string, change: (scene: BroadcasterScene) => void][] = [
  ["that is not ready", ({ pool }) => pool.ready = false],
  ["that owes storage", ({ pool }) => pool.isNearFreezing = true],
  ["that has no room for claims", ({ pool }) => pool.payoutRoom = 0],
  ["that gives no quote", (scene) => scene.quote = undefined],
];
for (const [name, change] of closed) {
  Deno.test(`withdrawals of a pool ${name} wait, and are sent when that is over`, async () => {
    const scene = await sceneWith(job(1));
    change(scene);
    scene.at(20_000, () => {
      Object.assign(scene.pool, { ready: true, isNearFreezing: false, payoutRoom: 128 });
      scene.quote = 100_000_000n;
    });
    await scene.run(27_000);
    deepEqual([scene.signed.length, (await jobsOf(scene, 1))[0].state], [1, "broadcast"]);
    equal(scene.sends[0].at >= 20_000 && scene.sends[0].at <= 25_000, true);
  });
}

Deno.test("a withdrawal whose root the pool no longer accepts expires, but only by a read made after it was accepted", async () => {
  const scene = await sceneWith(job(1));
  scene.pool.root = 8n;
  scene.pool.syncedAt = START_MS + intervals.minPollMs - 1;
  let earlier: string | undefined;
  scene.at(10_000, async () => {
    earlier = (await jobsOf(scene, 1))[0].state;
    scene.pool.syncedAt = START_MS + intervals.minPollMs;
  });
  await scene.run(30_000);
  const [{ state, reason, message }] = await jobsOf(scene, 1);
  deepEqual([earlier, state, reason, message], [
    "accepted",
    "expired",
    "its root left the pool's history",
    undefined,
  ]);
  equal(scene.signed.length, 0);
});

Deno.test("a withdrawal whose root left the history does not expire while the pool has no room for claims", async () => {
  const scene = await sceneWith(job(1));
  Object.assign(scene.pool, { root: 8n, payoutRoom: 0, syncedAt: START_MS + 60_000 });
  await scene.run(20_000);
  equal((await jobsOf(scene, 1))[0].state, "accepted");
});

Deno.test("withdrawals beyond a pool's room for claims wait until those under way have ended and there is room", async () => {
  const scene = await sceneWith(job(1), job(2), job(3));
  scene.pool.payoutRoom = 2;
  scene.at(3_000, () => scene.include(0, [101n, 102n]));
  const sentAt: number[] = [];
  scene.at(20_000, async () => {
    sentAt.push(scene.transfers.length);
    // Its payouts are not counted yet, so it took a place of the room.
    await scene.store.changeJob(ids(1)[0], (found) => ({ ...found, state: "confirmed" }));
    scene.pool.payoutRoom = 1;
  });
  scene.at(30_000, () => {
    sentAt.push(scene.transfers.length);
    scene.pool.payoutRoom = 2; // the claims were read: there are none
  });
  await scene.run(37_000);
  deepEqual(sentAt, [1, 1]);
  deepEqual(scene.transfers.map(({ jobs }) => jobs.map(({ queryId }) => queryId)), [[101n, 102n], [103n]]);
});

Deno.test("a withdrawal that becomes due while the store is read waits for those accepted meanwhile", async () => {
  const scene = await sceneWith({ ...job(1), notBefore: START_MS + 500 });
  const read = scene.store.liveJobs;
  let isSlow = true;
  scene.store.liveJobs = async () => {
    const jobs = await read.call(scene.store);
    if (isSlow) {
      isSlow = false;
      scene.now += 1_000;
      await scene.store.addJob(job(2), () => false);
    }
    return jobs;
  };
  await scene.run(10_000);
  deepEqual(scene.transfers.map(({ jobs }) => jobs.map(({ queryId }) => queryId)), [[101n, 102n]]);
});

Deno.test("without withdrawals and settlements the wallet is not queried", async () => {
  const scene = new BroadcasterScene();
  await scene.run(20_000);
  deepEqual([scene.observations, scene.signed.length], [0, 0]);
});

Deno.test("settlements are sent without withdrawals, and with as many as a transfer has left", async () => {
  const requests: number[] = [];
  const message = { to: poolAddress, value: 3n, bounce: true };
  const settlements = () => {
    const waiting = [message];
    return Object.defineProperty(
      {
        take: (...[, { messages }]: Parameters<Settlements["take"]>) => {
          requests.push(messages);
          return waiting.splice(0, messages);
        },
        endTransfer: () => {},
      },
      "isEmpty",
      { get: () => waiting.length === 0 },
    ) as unknown as Settlements;
  };
  const alone = new BroadcasterScene();
  alone.settlements = settlements();
  await alone.run(5_000);
  deepEqual([alone.signed.map(({ messages }) => messages), requests], [[[message]], [4]]);
  const shared = await sceneWith(job(1));
  shared.settlements = settlements();
  await shared.run(5_000);
  deepEqual([shared.signed[0].messages.length, requests], [2, [4, 3]]);
});

Deno.test("the settlements of a transfer end with it: when it is on chain, or has expired by chain time", async () => {
  for (const isIncluded of [true, false]) {
    const scene = new BroadcasterScene();
    const ends: [boolean, number][] = [];
    const waiting = [{ to: poolAddress, value: 3n, bounce: true }];
    scene.settlements = {
      isEmpty: false,
      take: () => waiting.splice(0),
      endTransfer: (...[included, now]: [boolean, number]) => ends.push([included, now - START_MS]),
    } as unknown as Settlements;
    if (isIncluded) scene.at(4_000, () => scene.include(0, []));
    await scene.run(90_000);
    const [[included, at], ...others] = ends;
    deepEqual([included, others], [isIncluded, []]);
    equal(
      at > (isIncluded ? 3_999 : LIFETIME_MS + 15_000) && at < (isIncluded ? 8_000 : 80_000),
      true,
      `${at}`,
    );
  }
});

Deno.test("after a store failure, the next attempts follow after one, two, four and eight seconds", async () => {
  const scene = await sceneWith(job(1));
  const requests: number[] = [];
  const read = scene.store.transfer;
  scene.store.transfer = () => {
    requests.push(scene.elapsed);
    return scene.elapsed < 15_000 ? Promise.reject(new Problem("store_unavailable")) : read.call(scene.store);
  };
  await scene.run(16_000);
  deepEqual(requests.slice(0, 5), [0, 1_000, 3_000, 7_000, 15_000]);
  equal(scene.signed.length, 1);
});
