import { deepEqual } from "node:assert/strict";
import type { Clock } from "../../core/time/clock.ts";
import type { Job, Store } from "../../store/store.ts";
import type { Log } from "../../telemetry/log.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import { OrphanedJobs, watchOrphanedJobs } from "./orphaned_jobs.ts";

/** Watches jobs of these pools, one list for each read; the pool "served" is served. Returns the reports. */
async function watch(...reads: (readonly string[] | Error)[]) {
  const orphaned = new OrphanedJobs();
  const end = new AbortController();
  const seen: { count: number; lines: unknown[] }[] = [];
  let lines: unknown[] = [];
  const left = [...reads];
  const store = {
    liveJobs: () => {
      const read = left.shift()!;
      return read instanceof Error
        ? Promise.reject(read)
        : Promise.resolve(read.map((pool) => ({ pool }) as Job));
    },
  } as unknown as Store;
  const sleeps: number[] = [];
  const clock: Clock = {
    now: () => 0,
    sleep: (ms) => {
      sleeps.push(ms);
      seen.push({ count: orphaned.count, lines });
      lines = [];
      if (left.length === 0) end.abort();
      return Promise.resolve();
    },
  };
  const log = {
    error: (_: string, { count, pool }: { count: number; pool: string }) => void lines.push([count, pool]),
    info: (text: string) => void lines.push(text),
  } as unknown as Log;
  const pools = new Map([["served", {} as PoolState]]);
  await watchOrphanedJobs(orphaned, { store, clock, pools, log }, end.signal);
  return { seen, sleeps };
}

Deno.test("withdrawals of pools that are not served are counted, and reported by pool once", async () => {
  const { seen, sleeps } = await watch(["served", "a", "b", "a"], ["a", "b", "a"], ["a"]);
  deepEqual(seen, [
    { count: 3, lines: [[2, "a"], [1, "b"]] },
    { count: 3, lines: [] },
    { count: 1, lines: [[1, "a"]] },
  ]);
  deepEqual(sleeps, [30_000, 30_000, 30_000]);
});

Deno.test("the end of the last of them is reported once, and nothing is if there were none", async () => {
  const ended = "no withdrawals wait for pools that are not served";
  const { seen } = await watch(["served"], ["a"], ["served"], []);
  deepEqual(seen, [
    { count: 0, lines: [] },
    { count: 1, lines: [[1, "a"]] },
    { count: 0, lines: [ended] },
    { count: 0, lines: [] },
  ]);
});

Deno.test("a store that fails changes neither the count nor the report", async () => {
  const { seen } = await watch(["a"], new Error("no answer"), ["a"]);
  deepEqual(seen, [{ count: 1, lines: [[1, "a"]] }, { count: 1, lines: [] }, { count: 1, lines: [] }]);
});
