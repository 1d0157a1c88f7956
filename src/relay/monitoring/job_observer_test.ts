import { deepEqual, equal, ok } from "node:assert/strict";
import { openKvStore } from "../../store/kv/kv_store.ts";
import type { Job } from "../../store/store.ts";
import { createMemoryRateLimitStore } from "../../store/memory/memory_rate_limit_store.ts";
import { HourlyCaps } from "../withdrawals/hourly_caps.ts";
import { createJobObserver, withJobObserver } from "./job_observer.ts";

const pool = `0:${"ab".repeat(32)}`;
const job = (nullifierHash: bigint): Job => ({
  pool,
  nullifierHash,
  state: "accepted",
  queryId: nullifierHash,
  root: 1n,
  fee: 1n,
  refund: 0n,
  failures: 0,
  acceptedAt: 10_000,
});
const ended = (state: Job["state"]) => (job: Job): Job => ({ ...job, state });

Deno.test("a finished withdrawal is counted once, by state, and its time if it was confirmed", async () => {
  const directory = await Deno.makeTempDir({ prefix: "tonado-measured-" });
  const counted: unknown[] = [];
  const observer = createJobObserver({
    metrics: {
      recordJobEnd: (...args) => void counted.push(args),
      recordSuperseded: (...args) => void counted.push(args),
    },
    now: () => 25_000,
    poolName: (id) => id === pool ? "native-1" : undefined,
  });
  const store = withJobObserver(await openKvStore(directory), observer);
  for (const id of [1n, 2n, 3n]) await store.addJob(job(id), () => false);
  const id = (nullifierHash: bigint) => ({ pool, nullifierHash });
  await store.changeJob(id(1n), ended("broadcast"));
  await store.changeJob(id(1n), () => undefined);
  deepEqual(counted, []);
  await store.changeJob(id(2n), ended("expired"));
  await store.changeJob(id(2n), ended("expired"));
  deepEqual(counted.splice(0), [["native-1", "expired", undefined]]);

  const tx = { lt: 5n, hash: "05".repeat(32) };
  const events = [1n, 9n].map((nullifierHash) =>
    ({ kind: "withdrawal", nullifierHash, fee: 1n, refund: 0n, timestamp: 1, tx }) as never
  );
  await store.apply({ pool, events, from: undefined, to: tx }, ended("confirmed"));
  deepEqual(counted.splice(0), [["native-1", "confirmed", 15]]);
  deepEqual((await store.liveJobs()).map(({ nullifierHash }) => nullifierHash), [3n]);
  await store.close();
  await Deno.remove(directory, { recursive: true });
});

Deno.test("job observer: superseded withdrawals have their own count, and failed or expired ones release their cap", async () => {
  const caps = new HourlyCaps(createMemoryRateLimitStore(Date.now), { hourly: 1, hourlyPerPool: 0 });
  const superseded: string[] = [];
  const observe = createJobObserver({
    metrics: { recordJobEnd: () => {}, recordSuperseded: (name) => void superseded.push(name) },
    hourlyCaps: caps,
    now: () => 0,
    poolName: () => "native-1",
  });
  const accept = async (nullifierHash: bigint) => {
    const { allowed } = await caps.reserve(job(nullifierHash));
    const capToken = caps.tokenOf(job(nullifierHash));
    if (allowed) await caps.finish(job(nullifierHash), true);
    return allowed && { ...job(nullifierHash), capToken: capToken! };
  };
  for (const state of ["failed", "expired"] as const) {
    const taken = await accept(1n) || undefined;
    equal(await accept(2n), false, "it is counted as soon as it is accepted");
    observe(taken!, ended(state)(taken!));
    await Promise.resolve();
  }
  const taken = await accept(3n) || undefined;
  observe(taken!, ended("broadcast")(taken!));
  observe(taken!, ended("superseded")(taken!));
  observe(ended("superseded")(taken!), ended("superseded")(taken!));
  deepEqual(superseded, ["native-1"]);
  equal(await accept(4n), false, "what was paid stays counted");
  observe(ended("superseded")(taken!), ended("expired")(taken!)); // its payment was not on chain
  ok(await accept(4n));
});
