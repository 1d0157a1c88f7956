import { deepEqual, equal } from "node:assert/strict";
import { Balance } from "./balance.ts";
import { CacheWatch } from "./cache_watch.ts";
import { systemClock } from "./clock.ts";
import { healthOf, type HealthParts } from "./health.ts";

async function holding(nano: bigint): Promise<Balance> {
  const balance = new Balance({ balance: () => Promise.resolve(nano) }, systemClock, {
    warn: 50n,
    stop: 10n,
  });
  await balance.current();
  return balance;
}
const cacheThat = (ping: () => Promise<void>) =>
  new CacheWatch({ ping }, systemClock, new AbortController().signal);
const well: HealthParts = {
  pools: { "native-1": { ready: true, leaves: 3 } },
  leads: true,
  held: true,
  store: { ok: true },
  chain: "ok",
  cache: cacheThat(() => Promise.resolve()),
  balance: await holding(100n),
  verifierFull: false,
  stranded: 0,
};

Deno.test("health: ready when every part is well", async () => {
  const { ready, dependencies } = await healthOf(well);
  equal(ready, true);
  deepEqual(new Set(Object.values(dependencies).map(({ state }) => state)), new Set(["ok"]));
});

const cases: [claim: string, change: Partial<HealthParts>, ready: boolean, name: string, state: string][] = [
  ["a registry without pools serves nobody", { pools: {} }, false, "registry", "down"],
  [
    "a store that is down keeps it from serving",
    { store: { ok: false, reason: "down" } },
    false,
    "store",
    "down",
  ],
  [
    "a failed chain request alone does not: pools go stale first",
    { chain: "failed" },
    true,
    "chain",
    "degraded",
  ],
  [
    "a cache that is down takes withdrawals away, not reads",
    { cache: cacheThat(() => Promise.reject(new Error("down"))) },
    true,
    "cache",
    "degraded",
  ],
  ["a wallet that runs low is told of", { balance: await holding(49n) }, true, "wallet", "degraded"],
  ["a wallet below its stop still serves reads", { balance: await holding(9n) }, true, "wallet", "degraded"],
  ["withdrawals that nobody works on are told of", { stranded: 2 }, true, "registry", "degraded"],
  ["an endpoint that stands still keeps it from serving", { chain: "stands still" }, false, "chain", "down"],
  ["a chain of another time is told of", { chain: "another time" }, true, "chain", "degraded"],
  ["a lead that nobody is known to hold is told of", { held: false }, true, "lead", "degraded"],
  ["a full queue of proofs is told of", { verifierFull: true }, true, "prover", "degraded"],
];
for (const [claim, change, ready, name, state] of cases) {
  Deno.test(`health: ${claim}`, async () => {
    const health = await healthOf({ ...well, ...change });
    equal(health.ready, ready);
    equal(health.dependencies[name].state, state);
    equal(typeof health.dependencies[name].reason, "string");
    for (const [other, dependency] of Object.entries(health.dependencies)) {
      if (other !== name) equal(dependency.state, "ok", other);
    }
  });
}

Deno.test("health: one pool that is not ready makes the relayer not ready", async () => {
  const pools = { ...well.pools, "native-10": { ready: false, reason: "starting", leaves: 0 } as const };
  equal((await healthOf({ ...well, pools })).ready, false);
});

Deno.test("health: one process has no lead to tell of", async () => {
  equal((await healthOf({ ...well, held: undefined })).dependencies.lead, undefined);
});
