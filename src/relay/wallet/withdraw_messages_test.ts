import { deepEqual } from "node:assert/strict";
import { SpentSet } from "../../core/protocol/v2/spent_set.ts";
import type { Job } from "../../store/store.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import { groupByMessage, MAX_BATCH_SIZE } from "./withdraw_messages.ts";

const v1 = {} as PoolState;
const v2 = { settledPool: { spent: new SpentSet() } } as PoolState;
const jobOf = (pool: PoolState | undefined, name: string, attempts?: number) => ({
  job: { pool: name, nullifierHash: 5n, ...attempts && { attempts } } as Job,
  pool,
});

Deno.test("only withdrawals of one version 2 pool that were not sent before share a message", () => {
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

Deno.test("a full message is followed by another", () => {
  const jobs = Array.from({ length: 2 * MAX_BATCH_SIZE + 1 }, () => jobOf(v2, "a"));
  deepEqual(groupByMessage(jobs).map(({ length }) => length), [MAX_BATCH_SIZE, MAX_BATCH_SIZE, 1]);
});

Deno.test("withdrawals with long paths get messages of their own", () => {
  const key = (slot: number) => (0xabcdef0123456789abcdefn << 12n) | BigInt(slot);
  const poolWith = (depths: readonly number[]) => {
    const path = (hash: bigint) => Array.from({ length: depths[Number(hash & 0xfffn)] });
    return { settledPool: { spent: { path } } } as unknown as PoolState;
  };
  const sizes = (depths: readonly number[]) => {
    const pool = poolWith(depths);
    const jobs = depths.map((_, slot) => ({ job: { pool: "a", nullifierHash: key(slot) } as Job, pool }));
    return groupByMessage(jobs).map(({ length }) => length);
  };
  deepEqual(sizes(Array(24).fill(12)), [12, 12]);
  deepEqual(sizes(Array(24).fill(13)), [11, 11, 2]);
  deepEqual(sizes(Array(9).fill(94)), [4, 4, 1]);
  deepEqual(sizes([...Array(11).fill(6), 94, 6]), [11, 2]);
});
