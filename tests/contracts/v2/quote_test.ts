/**
 * The value that a version 2 native pool requires of withdrawals, to the nano, computed a second time from
 * SPEC.md.
 */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { contractConstants } from "../../../testkit/chain/contract_constants.ts";
import { type PriceList, priceLists } from "../../../testkit/chain/pool_sandbox.ts";
import { V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";

const constant = await contractConstants(2);
const DAY = 86_400;
const max = (a: bigint, b: bigint) => a > b ? a : b;
const divCeil = (a: bigint, b: bigint) => (a + b - 1n) / b;

const used = { deposits: 27, settled: 20, withdrawals: 3, debt: 0n, idle: 0 };
/** Pools by counts, debt, balance and seconds since their last message. */
const states = [
  { ...used, balance: toNano(500) },
  { ...used, debt: 987_654_321n, balance: toNano(500) },
  { ...used, deposits: 20, debt: 987_654_321n, balance: toNano(500), idle: 40_000_000 },
  { ...used, balance: toNano(239) },
  { ...used, balance: toNano(239), idle: 40_000_000 },
  { ...used, balance: 1_000_000n, idle: 40_000_000 },
  { ...used, settled: 16, withdrawals: 15, debt: 987_654_321n, balance: toNano(100) },
  { ...used, deposits: 20, withdrawals: 20, balance: 0n },
  { ...used, deposits: 20, withdrawals: 20, balance: toNano(500) },
] as const;

for (const list of Object.keys(priceLists) as PriceList[]) {
  const prices = chainPrices(priceLists[list]);

  /** Returns the value that `count` withdrawals must leave in a pool with this balance. */
  const keep = (
    { deposits, settled, withdrawals, debt }: Omit<typeof used, "idle">,
    balance: bigint,
    count: bigint,
  ) => {
    const payers = max(count, BigInt(settled - withdrawals));
    const unspent = max(count, BigInt(deposits - withdrawals));
    const missing = max(0n, unspent * toNano(10) - balance);
    const endowment = prices.storage({ cells: 1n, bits: 1023n, seconds: 631_152_000n });
    const share = divCeil(debt * count, payers) + count * max(toNano("0.005"), endowment);
    return max(count * toNano("0.01"), max(share, divCeil(count * missing, unspent)));
  };

  Deno.test(`a quote is gas, payouts, logs, what stays in the pool, and a day of its storage (${list} prices)`, async () => {
    const sandbox = await V2Sandbox.open({ prices: list });
    const { pool } = sandbox;
    for (const { balance, idle, ...state } of states) {
      await sandbox.setState(
        { ...state, commitment: () => 1n, roots: [5n], touched: pool.chain.now },
        balance,
      );
      pool.chain.now! += idle;
      const queued = state.deposits - state.settled;
      const storage = (seconds: number) =>
        prices.storage({
          cells: constant("FIXED_CELLS") + BigInt(Math.ceil(queued / 3)),
          bits: constant("FIXED_BITS") + BigInt(300 * queued),
          seconds: BigInt(seconds),
        });
      const rest = max(0n, balance - storage(idle));
      for (const count of [1n, 2n, 3n, 4n, 16n]) {
        for (const refunds of [0n, 5n]) {
          const gas = prices.gas(BigInt(Math.min(1_000_000, Number(count * constant("GAS_HIGHEST_PATH")))));
          const value = 2n * gas + (count + 2n) * prices.forward(-1) +
            count * prices.forward(0, { cells: 1n, bits: 534n }) + refunds + keep(state, rest, count) +
            storage(DAY);
          const what = `${count} withdrawals, ${refunds}: ${Object.values(state)}, ${balance}, ${idle}`;
          const quote = await pool.get("get_withdraw_many_value", count, refunds);
          assert.equal(quote.readBigNumber(), value, what);
          if (count === 1n) assert.equal(await pool.withdrawValue(refunds), value, what);
        }
      }
    }
  });
}
