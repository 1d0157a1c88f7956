import { deepEqual, equal, rejects } from "node:assert/strict";
import { Cell, Dictionary } from "@ton/core";
import { int } from "../../../testkit/simulation/scripted_chain.ts";
import { poolAddress, ScriptedPool, testAddress } from "../../../testkit/simulation/scripted_pool.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Deployment } from "../../core/protocol/deployments.ts";
import { mainnetConfig } from "../../localnet/mainnet_config.ts";
import { rootLog } from "../../telemetry/log.ts";
import type { Chain } from "../../ton/chain.ts";
import { fetchNetworkPrices } from "../../ton/network_prices.ts";
import { ChangeSignal } from "../change_signal.ts";
import { PoolState } from "../indexer/pool_state.ts";
import { PoolCache } from "../withdrawals/pool_cache.ts";
import { watchClaims } from "../claims/claims_monitor.ts";
import { PoolFundsMonitor, watchPoolFunds } from "./pool_funds_monitor.ts";

const config = Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), mainnetConfig());
const prices = await fetchNetworkPrices(
  { configParam: (param: number) => Promise.resolve(config.get(param)!) } as Chain,
);

function poolOf(kind: 0 | 1 | 2 = 0) {
  const scene = new ScriptedPool({ kind, denomination: 10n, withdrawValue: 100n });
  const calls: string[] = [];
  for (const [name, getter] of Object.entries(scene.getters)) {
    scene.getters[name] = (...args) => {
      calls.push(name);
      return getter(...args);
    };
  }
  const deployment = {
    address: poolAddress,
    asset: kind === 1 ? "jet" : "native",
    denomination: 10n,
    ...kind === 2 && { version: 2 },
  } as Deployment;
  return { scene, calls, pool: new PoolState("the pool", deployment, 1, "localnet") };
}

Deno.test("a pool's getters are queried once in five seconds for all withdrawals", async () => {
  const { scene, calls, pool } = poolOf();
  const cache = new PoolCache(scene.chain, scene.clock);
  const readAll = async () => [
    (await cache.getPoolInfo(pool)).assetKind,
    ...[await cache.getWithdrawValue(pool, 0n), await cache.getWithdrawValue(pool, 7n)],
    ...[await cache.getIsSpent(pool, 5n), await cache.getIsSpent(pool, 5n), await cache.getIsSpent(pool, 6n)],
  ];
  scene.spent.add(5n);
  const once = ["get_pool_info", "get_withdraw_value", "getIsSpent", "getIsSpent"];
  deepEqual(await readAll(), ["native", 100n, 107n, true, true, false]);
  scene.pass(5_000);
  await readAll();
  deepEqual(calls, once);
  scene.pass(1);
  await readAll();
  deepEqual(calls, [...once, ...once]);
});

Deno.test("a version 2 pool is queried with the slot's path, and a slot that has changed gives not_ready", async () => {
  const { scene, pool } = poolOf(2);
  const cache = new PoolCache(scene.chain, scene.clock);
  const args: number[] = [];
  const answer = (problem?: Problem) => (given: readonly unknown[]) => {
    args.push(given.length);
    if (problem) throw problem;
    return [int(-1)];
  };
  Object.assign(scene.getters, { getIsSpent: answer(), getIsSpentBy: answer() });
  equal(await cache.getIsSpent(pool, 5n), true);
  scene.getters.getIsSpent = answer(new Problem("contract_refused"));
  await rejects(cache.getIsSpent(pool, 6n), { code: "not_ready", members: { retryAfter: 5 } });
  scene.getters.getIsSpent = answer(new Problem("chain_unavailable"));
  await rejects(cache.getIsSpent(pool, 7n), { code: "chain_unavailable" });
});

Deno.test("the claims of jetton pools are read every 30 s, and keep their last value while the endpoint fails", async () => {
  const { scene, calls, pool } = poolOf(1);
  const native = poolOf(0);
  let claims: number | undefined = 0;
  const { get_pool_info } = scene.getters;
  scene.getters.get_pool_info = (...args) => {
    const info = get_pool_info(...args);
    if (claims === undefined) throw new Problem("chain_unavailable");
    return [...info, int(claims)];
  };
  const end = new AbortController();
  const seen: number[] = [];
  for (const [at, next] of [[10_000, 3], [40_000, 254], [70_000, undefined], [100_000, 0]] as const) {
    scene.at(at, () => void seen.push(pool.openClaims));
    scene.at(at + 1, () => void (claims = next));
  }
  scene.at(120_001, () => end.abort());
  const deps = {
    chain: scene.chain,
    clock: scene.clock,
    intervals: { payoutMs: 10_000 },
    changes: new ChangeSignal(),
    log: rootLog(),
  };
  await watchClaims([native.pool, pool], deps, end.signal);
  deepEqual([seen.length, pool.openClaims, calls.length, native.calls.length], [4, 0, 5, 0]);
  await watchClaims([native.pool], deps, new AbortController().signal);
});

Deno.test("claims are read every 10 s while a withdrawal may still add some, and the broadcaster is woken", async () => {
  const { scene, calls, pool } = poolOf(1);
  const { get_pool_info } = scene.getters;
  const reads: number[] = [];
  let withdrawals = 0;
  scene.getters.get_pool_info = (...args) => {
    reads.push(scene.now);
    const info = get_pool_info(...args);
    return [...info.slice(0, 6), int(withdrawals), ...info.slice(7), int(0)];
  };
  const changes = new ChangeSignal();
  const end = new AbortController();
  let seen = 0; // by the indexer
  Object.defineProperty(pool.tree, "paymentCount", { get: () => seen });
  scene.at(35_000, () => void (seen = 1));
  scene.at(45_000, () => void (withdrawals = 1));
  scene.at(95_000, () => end.abort());
  const deps = { chain: scene.chain, clock: scene.clock, intervals: { payoutMs: 10_000 }, changes };
  await watchClaims([pool], { ...deps, log: rootLog() }, end.signal);
  // The read at 50 s shows the withdrawal, and at 60 s its payouts have ended.
  deepEqual(reads, [0, 30_000, 40_000, 50_000, 60_000, 90_000]);
  deepEqual([changes.count, calls.length], [6, 6]);
  equal(pool.payoutRoom, 128);
});

Deno.test("the funds of pools are read in their interval, or after ten minutes if one could not be read", async () => {
  const { scene, pool } = poolOf();
  const state = { code: Cell.EMPTY, data: Cell.EMPTY };
  scene.accounts[poolAddress.toRawString()] = { balance: 2_000_000_000_000n, ...state };
  const refused = new PoolState("refused", { ...pool.deployment, address: testAddress(9) }, 1, "localnet");
  refused.deploymentMismatch = "other code";
  const monitor = new PoolFundsMonitor();
  const reads: number[] = [];
  const { get_pool_info } = scene.getters;
  scene.getters.get_pool_info = (...args) => {
    reads.push(scene.now);
    if (reads.length === 2) throw new Problem("chain_unavailable");
    return get_pool_info(...args);
  };
  const end = new AbortController();
  scene.at(6_000_000, () => end.abort());
  await watchPoolFunds(monitor, [refused, pool], {
    chain: scene.chain,
    clock: scene.clock,
    log: rootLog(),
    intervals: { poolFundsPollMs: 2_000_000 },
    prices: { getPrices: () => Promise.resolve(prices) },
  }, end.signal);
  deepEqual([reads, monitor.get(refused)], [[0, 2_000_000, 2_600_000, 4_600_000], undefined]);
  scene.accounts[poolAddress.toRawString()] = { balance: 2_000_000_000_005n, ...state };
  const deps = { chain: scene.chain, prices: { getPrices: () => Promise.resolve(prices) }, log: rootLog() };
  await monitor.update(pool, deps, new AbortController().signal);
  const before = monitor.get(pool)!.surplus;
  scene.accounts[poolAddress.toRawString()] = { balance: 2_000_000_000_010n, ...state };
  equal(await monitor.update(pool, deps, new AbortController().signal), true);
  equal(monitor.get(pool)!.surplus - before, 5n);
});
