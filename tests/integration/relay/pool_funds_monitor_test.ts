/** The relayer's reports about the pools' own money, read from a local chain. */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { deployPool } from "../../../src/ops/deploy/deploy.ts";
import { PoolState } from "../../../src/relay/indexer/pool_state.ts";
import { PoolFundsMonitor, watchPoolFunds } from "../../../src/relay/monitoring/pool_funds_monitor.ts";
import { rootLog } from "../../../src/telemetry/log.ts";
import { fetchNetworkPrices } from "../../../src/ton/network_prices.ts";
import { maxPoolSize } from "../../../src/ton/pool/pool_size.ts";
import { withEmptyLocalnet } from "../../support/endpoint/empty_localnet.ts";

const YEAR = 31_557_600n;

Deno.test("the surplus of a pool follows its balance, survives a failing endpoint, and is retried after ten minutes", () =>
  withEmptyLocalnet(async ({ net, chain, wallet }) => {
    const deployment = await deployPool({
      chain,
      wallet,
      network: "localnet",
      asset: "native",
      amount: "2",
      owner: null,
      pollIntervalMs: 1,
    });
    const pool = new PoolState("native-2", deployment, 10_000, "localnet");
    const monitor = new PoolFundsMonitor();
    const prices = await fetchNetworkPrices(chain);
    const deps = { chain, prices: { getPrices: () => Promise.resolve(prices) }, log: rootLog() };
    const { signal } = new AbortController();
    assert.equal(monitor.get(pool), undefined);
    assert.ok(await monitor.update(pool, deps, signal));
    const { balance, syncUtime } = await chain.account(deployment.address);
    const counts = { assetKind: "native", deposits: 0, withdrawals: 0, claims: 0 } as const;
    const perYear = prices.storageFee({ ...maxPoolSize(counts), seconds: YEAR });
    const first = monitor.get(pool)!;
    assert.equal(first.surplus, balance);
    const years = Number(balance * 100n / perYear) / 100;
    assert.ok(Math.abs(first.until - syncUtime - years * Number(YEAR)) < 60, `${first.until}`);

    await wallet.send([{ to: deployment.address, value: toNano(1), bounce: false }]);
    await net.closeBlock();
    assert.ok(await monitor.update(pool, deps, signal));
    const gain = monitor.get(pool)!.surplus - balance;
    assert.ok(gain > toNano("0.99") && gain <= toNano(1), `${gain}`);

    const down = { ...deps, chain: { ...chain, runGetMethod: () => Promise.reject(new Error("down")) } };
    const slept: number[] = [];
    const stop = new AbortController();
    const clock = {
      now: () => 0,
      sleep: (ms: number) => {
        slept.push(ms);
        if (slept.length === 2) stop.abort();
        return Promise.resolve();
      },
    };
    const watch = { ...down, clock, intervals: { poolFundsPollMs: 21_600_000 } };
    await watchPoolFunds(monitor, [pool], watch, stop.signal);
    assert.deepEqual(slept, [600_000, 600_000]);
    assert.equal(monitor.get(pool)!.surplus, balance + gain);
  }));
