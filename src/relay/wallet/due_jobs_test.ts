import { deepEqual, equal } from "node:assert/strict";
import { SpentSet } from "../../core/protocol/v2/spent_set.ts";
import type { Job } from "../../store/store.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import { countFitting, countUnconfirmed, dueAt, selectDue, withinPayoutRoom } from "./due_jobs.ts";
import { payoutRoom } from "../claims/claim_room.ts";
import { MAX_BATCH_SIZE, type PayableJob } from "./withdraw_messages.ts";

const settledPool = { spent: new SpentSet() };
const pools = new Map([["v1", {}], ["v2", { settledPool }], ["w2", { settledPool }]]) as Map<
  string,
  PoolState
>;
const terms = { pools, batchMs: 1_000 };
const jobOf = (pool: string, acceptedAt: number, more: Partial<Job> = {}) =>
  ({ pool, acceptedAt, state: "accepted", nullifierHash: BigInt(acceptedAt), ...more }) as Job;
const dueTimes = (jobs: Job[], now: number) =>
  selectDue(jobs, now, terms).map(({ acceptedAt }) => acceptedAt);

Deno.test("withdrawals of a version 2 pool wait, and are sent together with the first", () => {
  const jobs = [jobOf("v2", 100), jobOf("v1", 200), jobOf("v2", 900), jobOf("w2", 950)];
  deepEqual(dueTimes(jobs, 1_000), [200]);
  deepEqual(dueTimes(jobs, 1_100), [100, 200, 900]);
  deepEqual(jobs.map((job) => dueAt(job, terms)), [1_100, 0, 1_900, 1_950]);
});

Deno.test("a full message does not wait", () => {
  const waiting = Array.from({ length: MAX_BATCH_SIZE - 1 }, (_, i) => jobOf("v2", 500 + i));
  deepEqual(dueTimes(waiting, 600), []);
  equal(dueTimes([...waiting, jobOf("v2", 600)], 600).length, MAX_BATCH_SIZE);
});

Deno.test("due jobs: one that was postponed, sent before or ended neither waits for others nor makes them due", () => {
  const postponed = jobOf("v2", 100, { notBefore: 2_000 });
  deepEqual(dueTimes([postponed, jobOf("v2", 900)], 1_500), []);
  deepEqual(dueTimes([postponed, jobOf("v2", 900)], 1_900), [900]);
  deepEqual(dueTimes([jobOf("v2", 100, { attempts: 1 }), jobOf("v2", 900)], 950), [100]);
  deepEqual(dueTimes([jobOf("v2", 100, { state: "broadcast" }), jobOf("v2", 900)], 1_500), []);
});

Deno.test("a transfer holds as many messages as the wallet sends, and 100 jobs", () => {
  const fitting = (due: Job[], maxMessages: number, batch: PayableJob[] = []) =>
    countFitting(batch, due, { maxMessages, pools });
  const many = (pool: string, count: number) => Array.from({ length: count }, (_, i) => jobOf(pool, i));
  equal(fitting(many("v1", 9), 4), 4);
  equal(fitting(many("v2", 60), 4), 4 * MAX_BATCH_SIZE);
  equal(fitting([...many("v2", 5), ...many("v1", 9)], 4), 8);
  deepEqual([99, 100, 101, 300].map((count) => fitting(many("v2", count), 255)), [99, 100, 100, 100]);
  const batch = many("v1", 3).map((job) => ({ job, pool: pools.get("v1")!, value: 1n }));
  deepEqual([fitting(many("v1", 9), 4, batch), fitting(many("v1", 9), 3, batch)], [1, 0]);
});

Deno.test("a transfer holds no more withdrawals of a pool than its claims have room for, two each", () => {
  const open = { payoutRoom: payoutRoom(0) } as PoolState;
  for (
    const [claims, room] of [[0, 128], [232, 12], [233, 11], [252, 2], [253, 1], [254, 1], [255, 0], [999, 0]]
  ) {
    const refusing = { payoutRoom: payoutRoom(claims) } as PoolState;
    const jobs = Array.from({ length: 20 }, (_, i) => ({ pool: i % 2 ? open : refusing, i }));
    const kept = withinPayoutRoom(jobs, new Map()).map(({ i }) => i);
    const expected = jobs.filter(({ i }) => i % 2 === 1 || i / 2 < room).map(({ i }) => i);
    deepEqual(kept, expected, `${claims} claims`);
    equal(refusing.payoutRoom, room);
  }
});

Deno.test("sent withdrawals take room until they end, for at most ten minutes", () => {
  const sent = (pool: string, broadcastAt: number) => jobOf(pool, 1, { state: "broadcast", broadcastAt });
  const jobs = [sent("v2", 5_000), sent("v2", 6_000), sent("w2", 5_000), jobOf("v2", 1), jobOf("v1", 1)];
  deepEqual([...countUnconfirmed(jobs, 605_000)], [["v2", 1]]);
  const underWay = countUnconfirmed(jobs, 6_000);
  deepEqual([...underWay], [["v2", 2], ["w2", 1]]);
  const refusing = { id: "v2", payoutRoom: 3 } as PoolState;
  const other = { id: "v1", payoutRoom: 3 } as PoolState;
  const waiting = Array.from({ length: 10 }, (_, i) => ({ pool: i % 2 ? other : refusing, i }));
  deepEqual(withinPayoutRoom(waiting, underWay).map(({ i }) => i), [0, 1, 3, 5]);
});
