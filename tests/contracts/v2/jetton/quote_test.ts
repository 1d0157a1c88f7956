/**
 * The values that a version 2 jetton pool requires, to the nano, computed a second time from
 * contracts/v2/SPEC.md.
 */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { chainPrices } from "../../../../testkit/chain/chain_prices.ts";
import { contractConstants } from "../../../../testkit/chain/contract_constants.ts";
import { type PriceList, priceLists } from "../../../../testkit/chain/pool_sandbox.ts";
import { manyClaims } from "../../../../testkit/chain/v2/claims.ts";
import { V2JettonSandbox } from "../../../../testkit/chain/v2/jetton_sandbox.ts";
import {
  accountStorage,
  depositValue,
  storageShare,
  transferCost,
} from "../../../support/contracts/v2_jetton_costs.ts";

const constant = await contractConstants(2);
const DAY = 86_400;
const max = (a: bigint, b: bigint) => a > b ? a : b;

/** Pools by queued deposits, claims, balance and seconds since their last message. */
const states = [
  { queued: 0, claims: 0, balance: 0n, idle: 0 },
  { queued: 7, claims: 0, balance: 0n, idle: 0 },
  { queued: 7, claims: 2, balance: 0n, idle: 20_000_000 },
  { queued: 1, claims: 5, balance: 1_000_000n, idle: 40_000_000 },
  { queued: 7, claims: 2, balance: toNano(50), idle: 20_000_000 },
] as const;

for (const list of Object.keys(priceLists) as PriceList[]) {
  const prices = chainPrices(priceLists[list]);

  Deno.test(`quotes are gas, logs, transfers, prepaid storage, and storage due beyond the balance (${list} prices)`, async () => {
    const sandbox = await V2JettonSandbox.openJetton({ prices: list });
    const { pool, jettons } = sandbox;
    for (const { queued, claims, balance, idle } of states) {
      const what = `${queued} queued, ${claims} claims, ${balance} nano, idle for ${idle} s`;
      const state = { deposits: 20 + queued, settled: 20, commitment: () => 1n, roots: [5n] };
      await sandbox.setState(state, balance, manyClaims(claims));
      pool.chain.now! += idle;
      const storage = (seconds: number) => accountStorage(prices, { queued, claims, seconds });
      const margin = max(0n, storage(idle + DAY) - balance);
      assert.equal(await jettons.depositValue(), depositValue(prices) + margin, what);

      for (const count of [1, 3, 4, 12]) {
        for (const refunds of [0n, 5n]) {
          const gas = Math.min(1_000_000, count * Number(constant("GAS_HIGHEST_JETTON_WITHDRAW")));
          const each = prices.forward(0, { cells: 1n, bits: 534n }) + transferCost(prices) +
            storageShare(prices) + (refunds === 0n ? 0n : prices.forward(0));
          const value = 2n * prices.gas(BigInt(gas)) + BigInt(count) * each + transferCost(prices) + refunds +
            storage(DAY) + max(0n, storage(idle) - balance);
          const quote = await pool.get("get_withdraw_many_value", BigInt(count), refunds);
          assert.equal(quote.readBigNumber(), value, `${count} withdrawals, ${refunds}: ${what}`);
          if (count === 1) assert.equal(await pool.withdrawValue(refunds), value, what);
        }
      }
    }
  });
}

Deno.test("the quotes of a pool that had no message contain no storage that is due", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool, jettons } = sandbox;
  const prices = chainPrices(priceLists.mainnet);
  await sandbox.setState({}, 0n);
  const used = await pool.withdrawValue();
  await sandbox.setState({ touched: 0 }, 0n);
  pool.chain.now! += DAY;
  assert.equal(await jettons.depositValue(), depositValue(prices));
  assert.equal(await pool.withdrawValue(), used);
});
