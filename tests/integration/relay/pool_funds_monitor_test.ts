/** The relayer's reports about the pools' own money, read from a local chain. */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { deployPool } from "../../../src/ops/deploy/deploy.ts";
import { PoolState } from "../../../src/relay/indexer/pool_state.ts";
import { PoolFundsMonitor, watchPoolFunds } from "../../../src/relay/monitoring/pool_funds_monitor.ts";
import { rootLog } from "../../../src/telemetry/log.ts";
import { storageSize } from "../../../src/ton/account_storage.ts";
import type { AccountInfo } from "../../../src/ton/chain.ts";
import { fetchNetworkPrices } from "../../../src/ton/network_prices.ts";
import { maxPoolSize } from "../../../src/ton/pool/pool_size.ts";
import { withEmptyLocalnet } from "../../support/endpoint/empty_localnet.ts";

const YEAR = 31_557_600n;

const native2 = {
  network: "localnet",
  asset: "native",
  amount: "2",
  owner: null,
  pollIntervalMs: 1,
} as const;

Deno.test("the surplus of a pool follows its balance, survives a failing endpoint, and is retried after ten minutes", () =>
  withEmptyLocalnet(async ({ net, chain, wallet }) => {
    const deployment = await deployPool({ ...native2, chain, wallet });
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
    const read = balance - first.surplus; // storage between the two reads, a nano a second
    assert.ok(read >= 0n && read < 1_000n, `${read}`);
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

Deno.test("the debt of a pool is that of its own size since its last transaction, and of a frozen one at least 0.1", () =>
  withEmptyLocalnet(async ({ chain, wallet }) => {
    const deployment = await deployPool({ ...native2, chain, wallet });
    const { address } = deployment;
    const pool = new PoolState("native-2", deployment, 10_000, "localnet");
    const monitor = new PoolFundsMonitor();
    const prices = await fetchNetworkPrices(chain);
    const account = await chain.account(address);
    const update = async (change: Partial<AccountInfo>) => {
      const changed = { ...chain, account: () => Promise.resolve({ ...account, ...change }) };
      const deps = { chain: changed, prices: { getPrices: () => Promise.resolve(prices) }, log: rootLog() };
      assert.ok(await monitor.update(pool, deps, new AbortController().signal));
      return monitor.get(pool)!;
    };
    const size = storageSize({ code: account.code!, data: account.data! });
    const storage = (years: bigint) => prices.storageFee({ ...size, seconds: years * YEAR });
    const sound = await update({});
    assert.deepEqual([sound.debt, monitor.inDebt([pool])], [0n, []]);
    const years = Number(account.balance) / Number(storage(1n));
    assert.ok(Math.abs(sound.runwayYears - years) < 1, `${sound.runwayYears}`);
    const gone = { code: undefined, data: undefined };
    const later = account.syncUtime + 7 * Number(YEAR);
    for (
      const [change, debt, isNearFreezing] of [
        [{ balance: 10_000_000n, syncUtime: later }, storage(7n) - 10_000_000n, false],
        [{ balance: 1n, syncUtime: account.syncUtime + 20 * Number(YEAR) }, storage(20n) - 1n, true],
        [{ state: "frozen", ...gone }, toNano("0.1"), true],
        [{ state: "uninitialized", ...gone }, toNano(1), true],
      ] as const
    ) {
      const known = await update(change);
      assert.ok(known.debt >= debt && known.debt < debt + 10_000n, `${known.debt} ${debt}`);
      assert.deepEqual([known.runwayYears, monitor.inDebt([pool])], [0, ["native-2"]]);
      assert.equal(pool.isNearFreezing, isNearFreezing);
    }
  }));
