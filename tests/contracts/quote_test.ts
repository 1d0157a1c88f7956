/**
 * The values that a native pool requires, keeps and lets its owner sweep, to the nano, in every state that
 * matters to the rules: no debt, debt, a balance below the notes, idle time, a grown pool. This file computes
 * them a second time, from SPEC.md.
 */
import assert from "node:assert/strict";
import { Address, toNano } from "@ton/core";
import { storeRecoverStuck } from "../../testkit/chain/admin_messages.ts";
import { type ChainPrices, chainPrices } from "../../testkit/chain/chain_prices.ts";
import type { NetworkPrices } from "../../src/ton/network_prices.ts";
import { estimateWithdrawalCost, keepOfQuote } from "../../src/ton/pool/withdrawal_cost.ts";
import { assertRejected } from "../support/contracts/pool_assertions.ts";
import { freshElement, PoolSandbox, type PriceList, priceLists } from "../../testkit/chain/pool_sandbox.ts";
import { encodePoolData, RootHistoryModel, SetModel } from "../../testkit/chain/pool_storage.ts";

const fees = await Deno.readTextFile(new URL("../../contracts/v1/fees.tolk", import.meta.url));
const GAS_HIGHEST_PATH = BigInt(/^const GAS_HIGHEST_PATH = (\d+)/m.exec(fees)![1]);
const LOG = { cells: 1n, bits: 534n };
const DAY = 86_400n;
const TWENTY_YEARS = 631_152_000n;

const max = (...values: bigint[]) => values.reduce((a, b) => a > b ? a : b);
const divCeil = (a: bigint, b: bigint) => (a + b - 1n) / b;
const somebody = (byte: number, workchain = 0) => new Address(workchain, Buffer.alloc(32, byte));

/** Returns the storage fee for the largest size of a pool. */
function storageFee(prices: ChainPrices, { deposits, withdrawals }: State, seconds: bigint): bigint {
  const cells = (keys: number) =>
    keys < 4096 ? 7 + Math.min(7 * keys, 1365 + keys) : 5461 + 2 * Math.floor((keys - 4096) / 11);
  return prices.storage({
    cells: BigInt(90 + cells(deposits) + cells(withdrawals)),
    bits: BigInt(60_000 + 102 * (deposits + withdrawals)),
    seconds,
  });
}

/** Returns the value that a withdrawal leaves in the pool. */
function keepOf(prices: ChainPrices, { deposits, withdrawals, debt }: State, owed: bigint, balance: bigint) {
  const payers = BigInt(Math.max(1, deposits - withdrawals));
  const endowment = prices.storage({ cells: 1n, bits: 1023n, seconds: TWENTY_YEARS });
  return max(
    toNano("0.01"),
    divCeil(debt, payers) + max(toNano("0.005"), endowment),
    divCeil(max(0n, owed - balance), payers),
  );
}

interface State {
  readonly deposits: number;
  readonly withdrawals: number;
  readonly debt: bigint;
  /** The balance minus the value of the notes. It is negative if the balance is lower. */
  readonly surplus: bigint;
}

const states: Record<string, State> = {
  "empty": { deposits: 0, withdrawals: 0, debt: 0n, surplus: toNano("2.5") },
  "fully spent": { deposits: 9, withdrawals: 9, debt: 0n, surplus: toNano(1) },
  "free of debt": { deposits: 5, withdrawals: 2, debt: 0n, surplus: 0n },
  "in debt": { deposits: 7, withdrawals: 0, debt: toNano("0.1") + 3n, surplus: toNano(1) },
  "short of its notes": { deposits: 7, withdrawals: 4, debt: 5n, surplus: -toNano(1) - 1n },
  "drained": { deposits: 3, withdrawals: 1, debt: 0n, surplus: 1_000n - 2n * toNano(10) },
  "grown a little": { deposits: 2_001, withdrawals: 190, debt: 0n, surplus: 0n },
  "at one key a slot": { deposits: 4_096, withdrawals: 4_095, debt: 0n, surplus: 0n },
  // One more key of deposits, or one less of withdrawals, changes the count of nodes by one.
  "grown": { deposits: 4_096 + 11 * 8_718, withdrawals: 4_095 + 11 * 5_083, debt: 0n, surplus: toNano(9) },
};

/** Returns the prices in the relayer's form. */
function networkPrices(prices: ChainPrices): NetworkPrices {
  return {
    gasFee: prices.gas,
    forwardFee: (size, workchain = 0) => prices.forward(workchain, size),
    storageFee: prices.storage,
  };
}

async function put(pool: PoolSandbox, { surplus, ...state }: State): Promise<bigint> {
  const owed = BigInt(state.deposits - state.withdrawals) * pool.denomination;
  const history = new RootHistoryModel();
  if (state.deposits > 0) history.push(7n);
  pool.roots.splice(0, Infinity, 7n);
  history.count = state.deposits;
  await pool.setState({
    data: encodePoolData({
      denomination: pool.denomination,
      touched: pool.chain.now!,
      nullifiers: new SetModel(),
      commitments: new SetModel(),
      root: 7n,
      history,
      paused: false,
      owner: pool.owner.address,
      ...state,
    }),
    balance: owed + surplus,
  });
  return owed;
}

for (const list of Object.keys(priceLists) as PriceList[]) {
  const prices = chainPrices(priceLists[list]);
  const gas = prices.gas(GAS_HIGHEST_PATH);

  Deno.test(`get_withdraw_value of a native pool is to the nano what SPEC.md says (${list} prices)`, async () => {
    const pool = await PoolSandbox.open({ prices: list });
    for (const [name, state] of Object.entries(states)) {
      const owed = await put(pool, state);
      const touched = pool.chain.now!;
      for (const [idle, refund] of [[0n, 0n], [0n, 7n], [5_000_000n, 7n], [400_000_000n, 0n]]) {
        pool.chain.now = touched + Number(idle);
        const balance = owed + state.surplus;
        const due = storageFee(prices, state, idle);
        const quote = 2n * gas + 3n * prices.forward(-1) + prices.forward(0, LOG) + refund +
          keepOf(prices, state, owed, max(0n, balance - due)) + storageFee(prices, state, DAY);
        assert.equal(await pool.withdrawValue(refund), quote, `${name}, ${idle} seconds`);
      }
      pool.chain.now = touched;
    }
  });

  Deno.test(`a relayer reads from the quote what the pool keeps, solvency included (${list} prices)`, async () => {
    const pool = await PoolSandbox.open({ prices: list });
    const read = networkPrices(prices);
    for (const [name, state] of Object.entries(states)) {
      const owed = await put(pool, state);
      const touched = pool.chain.now!;
      for (const idle of [0n, 400_000_000n]) {
        pool.chain.now = touched + Number(idle);
        const balance = max(0n, owed + state.surplus - storageFee(prices, state, idle));
        const keep = keepOf(prices, state, owed, balance);
        const quote = await pool.withdrawValue(0n);
        assert.equal(keepOfQuote(read, state, quote), keep, name);
        const info = { assetKind: "native", ...state } as const;
        const withoutQuote = estimateWithdrawalCost(read, info);
        const solventKeep = keepOf(prices, state, 0n, 0n);
        assert.equal(estimateWithdrawalCost(read, info, { quote }) - withoutQuote, keep - solventKeep, name);
        assert.equal(estimateWithdrawalCost(read, info, { quote: 0n }), withoutQuote, "other prices");
      }
      pool.chain.now = touched;
    }
  });

  Deno.test(`a nano less than a withdrawal costs is refused in every state, and with it the note is paid (${list} prices)`, async () => {
    const pool = await PoolSandbox.open({ prices: list });
    for (const [name, state] of Object.entries(states)) {
      if (state.deposits === state.withdrawals) continue;
      const owed = await put(pool, state);
      const keep = keepOf(prices, state, owed, owed + state.surplus);
      const [refund, nullifierHash] = [31_415_926n, freshElement()];
      const least = gas + 3n * prices.forward(0) + prices.forward(0, LOG) + refund + keep;
      const change = { refund, nullifierHash };
      await assertRejected(
        pool,
        "ERR_INSUFFICIENT_VALUE",
        () => pool.withdraw({ ...change, value: least - 1n }),
      );
      const before = await pool.getPoolInfo();
      const paid = await pool.withdraw({ ...change, value: least });
      assert.deepEqual([paid.exitCode, paid.actionCode], [0, 0], name);
      const payers = BigInt(state.deposits - state.withdrawals);
      assert.equal((await pool.getPoolInfo()).debt, before.debt - divCeil(before.debt, payers), name);
    }
  });

  Deno.test(`the owner sweeps what is above notes, debt and 20 years of a pool's storage, and not a nano more (${list} prices)`, async () => {
    const pool = await PoolSandbox.open({ prices: list });
    for (const name of ["empty", "in debt", "grown a little", "grown"]) {
      const owed = await put(pool, states[name]) + states[name].debt;
      const reserve = max(toNano("2.5"), storageFee(prices, states[name], TWENTY_YEARS));
      const surplus = toNano(1);
      await pool.setState({ balance: owed + reserve + surplus });
      const sweep = (amount: bigint) =>
        pool.send(storeRecoverStuck(amount, somebody(0x99)), toNano(3), { from: pool.owner.address });
      await assertRejected(pool, "ERR_NOT_SURPLUS", () => sweep(surplus + 1n));
      const swept = await sweep(surplus);
      assert.deepEqual([swept.exitCode, swept.actionCode], [0, 0], name);
    }
  });
}

Deno.test("nobody is charged for a payout that is not sent, and each end pays its own workchain's price", async () => {
  const prices = chainPrices(priceLists.mainnet);
  const pool = await PoolSandbox.open();
  const state = states["free of debt"];
  for (
    const [fee, refund, recipient, relayer, from] of [
      [0n, 0n, 0, 0, 0],
      [pool.denomination, 0n, 0, 0, 0],
      [pool.denomination, 9n, 0, 0, 0],
      [1n, 0n, -1, 0, 0],
      [1n, 0n, 0, -1, 0],
      [1n, 0n, 0, 0, -1],
    ] as const
  ) {
    const owed = await put(pool, state);
    const payout = pool.denomination - fee + refund;
    const least = prices.gas(GAS_HIGHEST_PATH) + (payout > 0n ? prices.forward(recipient) : 0n) +
      (fee > 0n ? prices.forward(relayer) : 0n) + prices.forward(from) + prices.forward(0, LOG) + refund +
      keepOf(prices, state, owed, owed + state.surplus);
    const change = {
      fee,
      refund,
      nullifierHash: freshElement(),
      recipient: somebody(0x11, recipient),
      relayer: somebody(0x12, relayer),
      from: somebody(0x13, from),
    };
    await assertRejected(
      pool,
      "ERR_INSUFFICIENT_VALUE",
      () => pool.withdraw({ ...change, value: least - 1n }),
    );
    assert.equal((await pool.withdraw({ ...change, value: least })).actionCode, 0);
  }
});
