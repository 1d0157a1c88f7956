import { deepEqual, equal } from "node:assert/strict";
import { WalletBalance } from "../wallet/balance.ts";
import { CacheHealth } from "./cache_health.ts";
import { systemClock } from "../../core/time/clock.ts";
import { checkHealth, type HealthSources } from "./health.ts";

async function holding(nano: bigint): Promise<WalletBalance> {
  const balance = new WalletBalance({ balance: () => Promise.resolve(nano) }, systemClock, {
    warn: 50n,
    stop: 10n,
  });
  await balance.current();
  return balance;
}
const cacheThat = (ping: () => Promise<void>) =>
  new CacheHealth({ ping }, systemClock, new AbortController().signal);
const well: HealthSources = {
  pools: { "native-1": { ready: true, leaves: 3 } },
  isLeader: true,
  isLeaseKnown: true,
  store: { ok: true },
  chain: "ok",
  cache: cacheThat(() => Promise.resolve()),
  balance: await holding(100n),
  isVerifierFull: false,
  orphanedJobCount: 0,
};

Deno.test("health: ready when every part is well", async () => {
  const { ready, dependencies } = await checkHealth(well);
  equal(ready, true);
  deepEqual(new Set(Object.values(dependencies).map(({ state }) => state)), new Set(["ok"]));
});

const cases: [claim: string, change: Partial<HealthSources>, ready: boolean, name: string, state: string][] =
  [
    [
      "a jetton pool without a minimum fee degrades the registry, and other pools are served",
      { unpricedPools: ["jet-10"] },
      true,
      "registry",
      "degraded",
    ],
    [
      "a registry of such pools only is down",
      { pools: {}, unpricedPools: ["jet-10"] },
      false,
      "registry",
      "down",
    ],
    ["a registry without pools is down", { pools: {} }, false, "registry", "down"],
    [
      "a store that is down makes the relayer not ready",
      { store: { ok: false, reason: "down" } },
      false,
      "store",
      "down",
    ],
    [
      "a failed chain request alone does not make the relayer not ready",
      { chain: "failed" },
      true,
      "chain",
      "degraded",
    ],
    [
      "a relayer whose cache is down still serves reads",
      { cache: cacheThat(() => Promise.reject(new Error("down"))) },
      true,
      "cache",
      "degraded",
    ],
    ["a wallet that runs low is degraded", { balance: await holding(49n) }, true, "wallet", "degraded"],
    [
      "a wallet below its stop still serves reads",
      { balance: await holding(9n) },
      true,
      "wallet",
      "degraded",
    ],
    [
      "withdrawals of pools that are not served degrade the registry",
      { orphanedJobCount: 2 },
      true,
      "registry",
      "degraded",
    ],
    [
      "an endpoint that shows no new blocks makes the relayer not ready",
      { chain: "stalled" },
      false,
      "chain",
      "down",
    ],
    ["a chain whose time differs is degraded", { chain: "clock skew" }, true, "chain", "degraded"],
    [
      "a store that has not answered requests for the lease is degraded",
      { isLeaseKnown: false },
      true,
      "lead",
      "degraded",
    ],
    ["a full queue of proofs is degraded", { isVerifierFull: true }, true, "prover", "degraded"],
  ];
for (const [claim, change, ready, name, state] of cases) {
  Deno.test(`health: ${claim}`, async () => {
    const health = await checkHealth({ ...well, ...change });
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
  equal((await checkHealth({ ...well, pools })).ready, false);
});

Deno.test("a single process reports no lease", async () => {
  equal((await checkHealth({ ...well, isLeaseKnown: undefined })).dependencies.lead, undefined);
});
