/** The count of ended withdrawals, over a real store. */
import { deepEqual } from "node:assert/strict";
import { openKvStore } from "../store/kv/kv_store.ts";
import type { Job } from "../store/store.ts";
import { measureStore } from "./measured_store.ts";

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

Deno.test("measured store: a withdrawal that ends is counted once, by state, with its time when it is confirmed", async () => {
  const directory = await Deno.makeTempDir({ prefix: "tonado-measured-" });
  const counted: unknown[] = [];
  const store = measureStore(await openKvStore(directory), {
    metrics: { settled: (...args) => void counted.push(args) },
    now: () => 25_000,
    poolName: (id) => id === pool ? "native-1" : undefined,
  });
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
  deepEqual(counted, [["native-1", "confirmed", 15]]);
  deepEqual((await store.liveJobs()).map(({ nullifierHash }) => nullifierHash), [3n]);
  await store.close();
  await Deno.remove(directory, { recursive: true });
});
