import { deepEqual } from "node:assert/strict";
import { createMetricsSource } from "./metrics_source.ts";

type Parts = Parameters<typeof createMetricsSource>[0];

const pool = {
  key: "native-10",
  lacksMinFee: false,
  tree: { size: 7 },
  openClaims: 2,
  rootMismatches: 1,
  newestLt: 30n,
  appliedLt: 20n,
  syncedAt: 4_000,
  settledPool: undefined,
  readiness: () => ({ ready: true }),
};

function read(change: object = {}, surplus?: { surplus: bigint; until: number }, balance?: bigint) {
  const source = createMetricsSource({
    pools: [{ ...pool, ...change }],
    poolFunds: { get: () => surplus },
    leadership: { isLeader: true },
    store: {
      liveJobs: () => Promise.resolve(["accepted", "broadcast", "accepted"].map((state) => ({ state }))),
    },
    orphaned: { count: 3 },
    balance: { lastKnown: balance },
    verifier: { pendingCount: 4 },
    health: () => Promise.resolve({ dependencies: { chain: { state: "ok" }, cache: { state: "down" } } }),
    clock: { now: () => 10_500 },
  } as unknown as Parts);
  return { source, metrics: source.pools()[0] };
}

const shown = {
  pool: "native-10",
  ready: true,
  lacksMinFee: false,
  leafCount: 7,
  openClaims: 2,
  lagSeconds: 6.5,
  lagLt: 10n,
  rootMismatches: 1,
};

Deno.test("a pool's lag is the time since its last sync, and the logical time not yet applied", () => {
  deepEqual(read().metrics, shown);
  deepEqual(read({ newestLt: 20n }).metrics.lagLt, 0n);
  deepEqual(read({ newestLt: 10n }).metrics.lagLt, 0n, "an endpoint that is behind");
  deepEqual("lagSeconds" in read({ syncedAt: -Infinity }).metrics, false);
});

Deno.test("a pool without a minimum fee is not ready, however well it is indexed", () => {
  const ready = (change: object) => read(change).metrics.ready;
  deepEqual([ready({}), ready({ lacksMinFee: true }), ready({ readiness: () => ({ ready: false }) })], [
    ...[true, false, false],
  ]);
});

Deno.test("only a version 2 pool has a queue", () => {
  const queue = (...timestamps: number[]) =>
    read({ settledPool: { queue: timestamps.map((timestamp) => ({ timestamp })) } }).metrics;
  deepEqual(queue(), { ...shown, queued: 0, oldestWaitSeconds: 0 });
  deepEqual(queue(4, 9), { ...shown, queued: 2, oldestWaitSeconds: 6.5 });
  deepEqual(queue(11), { ...shown, queued: 1, oldestWaitSeconds: 0 }, "a chain whose clock is ahead");
});

Deno.test("a surplus is in whole units, and its end a time that a float holds", () => {
  const surplus = (nano: bigint, until: number, debt: bigint) => {
    const known = { surplus: nano, until, debt, runwayYears: 0 };
    const { surplus, surplusUntilSeconds, storageDebt } = read({}, known).metrics;
    return [surplus, surplusUntilSeconds, storageDebt];
  };
  deepEqual(surplus(2_500_000_000n, 1_900_000_000, 0n), [2.5, 1_900_000_000, 0]);
  deepEqual(surplus(-1n, Infinity, 1n), [-1e-9, 253_402_300_799, 1e-9]);
});

Deno.test("the balance is in whole units once it is known, and jobs are counted by state", async () => {
  deepEqual([read().source.balance(), read({}, undefined, 1_500_000_000n).source.balance()], [
    undefined,
    1.5,
  ]);
  const { source } = read();
  deepEqual(await source.liveJobs(), { accepted: 2, broadcast: 1 });
  deepEqual(await source.dependencies(), { chain: "ok", cache: "down" });
  deepEqual([source.orphanedJobCount(), source.isLeader(), source.pendingProofCount()], [3, true, 4]);
});
