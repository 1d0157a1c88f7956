import { deepEqual, equal } from "node:assert/strict";
import { Cell, Dictionary } from "@ton/core";
import { int } from "../../../testkit/simulation/scripted_chain.ts";
import { NO_ADDRESS, poolAddress, ScriptedPool } from "../../../testkit/simulation/scripted_pool.ts";
import type { Deployment } from "../../core/protocol/deployments.ts";
import { mainnetConfig } from "../../localnet/mainnet_config.ts";
import { rootLog } from "../../telemetry/log.ts";
import type { Chain } from "../../ton/chain.ts";
import { fetchNetworkPrices } from "../../ton/network_prices.ts";
import { maxPoolSize } from "../../ton/pool/pool_size.ts";
import { PoolState } from "../indexer/pool_state.ts";
import { PoolFundsMonitor } from "./pool_funds_monitor.ts";

const config = Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), mainnetConfig());
const prices = await fetchNetworkPrices(
  { configParam: (param: number) => Promise.resolve(config.get(param)!) } as Chain,
);
const denomination = 10_000_000_000n;
const balance = 200_000_000_000n;
const counts = { assetKind: "native", deposits: 7, withdrawals: 2, claims: 0 } as const;

for (
  const [claim, idle, seconds] of [
    ["has none since its last transaction in the newest block", 0, 0],
    ["a second after its last transaction has one second of it", 1, 1],
    ["a day after its last transaction has a day of it", 86_400, 86_400],
    ["whose last transaction is newer than the account's block has none", -5, 0],
  ] as const
) {
  Deno.test(`the surplus excludes the notes and unpaid storage: a pool ${claim}`, async () => {
    const scene = new ScriptedPool({ kind: 0, denomination });
    scene.pass(Math.max(0, idle) * 1000);
    scene.accounts[poolAddress.toRawString()] = {
      balance,
      code: Cell.EMPTY,
      data: Cell.EMPTY,
      syncUtime: scene.chainTime + Math.min(0, idle),
    };
    scene.getters.get_pool_info = () => [
      ...[int(0), NO_ADDRESS, NO_ADDRESS, NO_ADDRESS, int(0)],
      ...[int(counts.deposits), int(counts.withdrawals), int(1 << 20), int(0), int(0), int(0)],
    ];
    const deployment = { address: poolAddress, denomination } as Deployment;
    const pool = new PoolState("native-10", deployment, 10_000, "testnet");
    const monitor = new PoolFundsMonitor();
    const deps = { chain: scene.chain, prices: { getPrices: () => Promise.resolve(prices) }, log: rootLog() };
    await monitor.update(pool, deps, new AbortController().signal);
    const storage = (duration: bigint) => prices.storageFee({ ...maxPoolSize(counts), seconds: duration });
    const surplus = balance - 5n * denomination - storage(BigInt(seconds));
    const hundredthsOfYear = Number(surplus * 100n / storage(31_557_600n));
    const until = scene.chainTime + Math.min(0, idle) + Math.floor(hundredthsOfYear / 100 * 31_557_600);
    const known = monitor.get(pool)!;
    deepEqual([known.surplus, known.until, known.debt], [surplus, until, 0n]);
  });
}

Deno.test("without the pool's last transaction, the storage that is due is not taken for none", async () => {
  const scene = new ScriptedPool({ kind: 0, denomination });
  const last = { lt: 5n, hash: "05".repeat(32) };
  scene.accounts[poolAddress.toRawString()] = { balance, code: Cell.EMPTY, data: Cell.EMPTY, last };
  const pool = new PoolState("a", { address: poolAddress, denomination } as Deployment, 10_000, "testnet");
  const monitor = new PoolFundsMonitor();
  const deps = { chain: scene.chain, prices: { getPrices: () => Promise.resolve(prices) }, log: rootLog() };
  equal(await monitor.update(pool, deps, new AbortController().signal), false);
  equal(monitor.get(pool), undefined);
});
