import { deepEqual } from "node:assert/strict";
import type { Job } from "../../store/store.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import { groupByMessage, MAX_BATCH_SIZE } from "./withdraw_messages.ts";

const v1 = {} as PoolState;
const v2 = { settledTree: {} } as PoolState;
const jobOf = (pool: PoolState | undefined, name: string, attempts?: number) => ({
  job: { pool: name, ...attempts && { attempts } } as Job,
  pool,
});

Deno.test("withdraw messages: only withdrawals of one version 2 pool that were not sent before share a message", () => {
  const jobs = [
    jobOf(v2, "a"),
    jobOf(v1, "b"),
    jobOf(v2, "a", 1),
    jobOf(v2, "c"),
    jobOf(v2, "a"),
    jobOf(v1, "b"),
    jobOf(undefined, "d"),
  ];
  const places = groupByMessage(jobs).map((group) => group.map((job) => jobs.indexOf(job)));
  deepEqual(places, [[0, 4], [1], [2], [3], [5], [6]]);
});

Deno.test("withdraw messages: a full message is followed by another", () => {
  const jobs = Array.from({ length: 2 * MAX_BATCH_SIZE + 1 }, () => jobOf(v2, "a"));
  deepEqual(groupByMessage(jobs).map(({ length }) => length), [MAX_BATCH_SIZE, MAX_BATCH_SIZE, 1]);
});
