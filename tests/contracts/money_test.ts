/**
 * The money of a native pool to the nano, at the sandbox's old prices and at mainnet's: payments, what the
 * pool keeps, the value to attach, and that the pool can always pay the last note. This file implements the
 * rules a second time, from SPEC.md.
 */
import assert from "node:assert/strict";
import { Address, type Message } from "@ton/core";
import { mainnetConfig } from "../../src/localnet/mainnet_config.ts";
import { type Outcome, PoolSandbox, type PriceList, priceLists } from "../../testkit/chain/pool_sandbox.ts";
import { type ChainPrices, chainPrices } from "../../testkit/chain/chain_prices.ts";
import { encodePoolData, RootHistoryModel, SetModel } from "../../testkit/chain/pool_storage.ts";

const source = await Deno.readTextFile(new URL("../../contracts/v1/fees.tolk", import.meta.url));
const constant = (name: string) => BigInt(new RegExp(`^const ${name} = (\\d+)`, "m").exec(source)![1]);
const GAS_HIGHEST_PATH = constant("GAS_HIGHEST_PATH");
const RESERVE = 10_000_000n;
const ACCRUAL = 5_000_000n;
const TON = 1_000_000_000n;
const DAY = 86_400;
const YEAR = 31_557_600;
const LOG = { cells: 1n, bits: 534n };

const max = (...values: bigint[]) => values.reduce((a, b) => a > b ? a : b);
const divCeil = (a: bigint, b: bigint) => (a + b - 1n) / b;
const masterchain = (address: Address) => new Address(-1, address.hash);

/** Returns the value that a withdrawal leaves in the pool, by SPEC.md. */
function keepOf(
  prices: ChainPrices,
  { debt, unspent, denomination, balance }: {
    debt: bigint;
    unspent: bigint;
    denomination: bigint;
    balance: bigint;
  },
): { share: bigint; total: bigint } {
  const share = divCeil(debt, unspent);
  const endowment = prices.storage({ cells: 1n, bits: 1023n, seconds: 631_152_000n });
  const solvency = divCeil(max(0n, unspent * denomination - balance), unspent);
  return { share, total: max(RESERVE, share + max(ACCRUAL, endowment), solvency) };
}

async function keepNow(pool: PoolSandbox, prices: ChainPrices): Promise<{ share: bigint; total: bigint }> {
  const { debt, deposits, withdrawals } = await pool.getPoolInfo();
  return keepOf(prices, {
    debt,
    unspent: BigInt(deposits - withdrawals),
    denomination: pool.denomination,
    balance: await pool.balance(),
  });
}

function paidTo(outcome: Outcome, address: Address): bigint[] {
  return outcome.sent.filter((message: Message) => message.info.dest?.toString() === address.toString())
    .map((message) => message.info.type === "internal" ? message.info.value.coins : 0n);
}

function assertDone(outcome: Outcome, what = ""): Outcome {
  assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0], what);
  return outcome;
}

/** Replaces counters and debt. The rest of the state is that of a pool with `deposits` deposits. */
async function setState(
  pool: PoolSandbox,
  { deposits, withdrawals = 0, debt = 0n, balance }: {
    deposits: number;
    withdrawals?: number;
    debt?: bigint;
    balance: bigint;
  },
): Promise<void> {
  const history = new RootHistoryModel();
  for (let i = 0; i < deposits; i++) history.push(BigInt(i + 1));
  pool.roots.push(BigInt(deposits));
  const data = encodePoolData({
    denomination: pool.denomination,
    deposits,
    withdrawals,
    debt,
    touched: pool.chain.now!,
    nullifiers: new SetModel(),
    root: pool.root,
    commitments: new SetModel(),
    history,
    paused: false,
    owner: null,
  });
  await pool.setState({ data, balance });
}

for (const list of Object.keys(priceLists) as PriceList[]) {
  const prices = chainPrices(priceLists[list]);
  const open = (options: Parameters<typeof PoolSandbox.open>[0] = {}) =>
    PoolSandbox.open({ prices: list, ...options });
  const test = (name: string, fn: () => Promise<void>) => Deno.test(`${name} (${list} prices)`, fn);

  test("recipient and relayer are paid exactly, the sender gets back what is left, the pool keeps what it must", async () => {
    const pool = await open();
    await pool.deposit();
    const [fee, refund, value] = [123_456_789n, 7_654_321n, 2n * TON];
    const keep = await keepNow(pool, prices);
    const sender = await pool.chain.treasury("another");
    const outcome = assertDone(await pool.withdraw({ fee, refund, value, from: sender.address }));
    assert.deepEqual(paidTo(outcome, pool.user.address), [pool.denomination - fee + refund]);
    assert.deepEqual(paidTo(outcome, pool.relayer.address), [fee]);
    const [excess] = paidTo(outcome, sender.address);
    const fees = prices.gas(outcome.gasUsed) + 3n * prices.forward(0) + prices.forward(0, LOG);
    const charged = value - refund - keep.total - excess;
    assert.ok(charged >= fees && charged - fees < prices.gas(300n), `charged ${charged} for ${fees}`);
    assert.equal(
      outcome.balanceAfter,
      outcome.balanceBefore + value - pool.denomination - refund - excess - fees,
    );
    assert.ok(
      outcome.balanceAfter - outcome.balanceBefore >= keep.total - pool.denomination,
      "keep stays to the nano",
    );
  });

  test("nothing is sent for an amount of 0", async () => {
    const pool = await open();
    await pool.deposit();
    await pool.deposit();
    const free = assertDone(await pool.withdraw({ fee: 0n, from: pool.owner.address }));
    assert.deepEqual(paidTo(free, pool.relayer.address), []);
    assert.equal(free.sent.length, 2);
    const all = assertDone(
      await pool.withdraw({ fee: pool.denomination, refund: 0n, from: pool.owner.address }),
    );
    assert.deepEqual(paidTo(all, pool.user.address), []);
    assert.deepEqual(paidTo(all, pool.relayer.address), [pool.denomination]);
    assert.equal(all.sent.length, 2);
  });

  test("one nano less than gas, fees, refund and keep is ERR_INSUFFICIENT_VALUE, and with it the note is paid", async () => {
    for (const far of [false, true]) {
      const pool = await open();
      await pool.deposit();
      const place = (address: Address) => far ? masterchain(address) : address;
      const change = {
        refund: 31_415_926n,
        recipient: place(pool.user.address),
        relayer: place(pool.relayer.address),
        from: place(pool.owner.address),
      };
      const { total } = await keepNow(pool, prices);
      const least = prices.gas(GAS_HIGHEST_PATH) + 3n * prices.forward(far ? -1 : 0) +
        prices.forward(0, LOG) +
        change.refund + total;
      const refused = await pool.withdraw({ ...change, value: least - 1n });
      assert.equal(refused.exitCode, 205);
      assert.equal((await pool.getPoolInfo()).withdrawals, 0);
      assertDone(await pool.withdraw({ ...change, value: least }), far ? "masterchain" : "basechain");
    }
  });

  test("a refused withdrawal costs its sender the gas and the pool nothing", async () => {
    const pool = await open();
    await pool.deposit();
    const data = await pool.data();
    const refused = await pool.withdraw({ value: prices.gas(300_000n) });
    assert.equal(refused.exitCode, 205);
    assert.equal(refused.balanceAfter, refused.balanceBefore);
    assert.ok((await pool.data()).equals(data));
    const [bounced] = refused.sent;
    assert.ok(bounced.info.type === "internal" && bounced.info.bounced);
  });

  test("a deposit of another amount comes back whole but for its gas", async () => {
    const pool = await open();
    for (const value of [pool.denomination - 1n, pool.denomination + 1n]) {
      const outcome = await pool.deposit({ value });
      assert.equal(outcome.exitCode, 101);
      assert.equal(outcome.balanceAfter, outcome.balanceBefore);
      const [back] = outcome.sent;
      assert.ok(back.info.type === "internal" && !back.info.bounced);
      // The returning message pays its own forward fee.
      assert.equal(back.info.value.coins, value - prices.gas(outcome.gasUsed) - prices.forward(0));
    }
  });

  test("what get_withdraw_value says still suffices after deposits, a withdrawal and an idle day", async () => {
    const pool = await open();
    for (let i = 0; i < 3; i++) await pool.deposit();
    const value = await pool.withdrawValue(5_000_000n);
    await pool.deposit();
    await pool.deposit();
    assertDone(await pool.withdraw());
    pool.chain.now! += DAY;
    const outcome = await pool.withdraw({
      refund: 5_000_000n,
      value,
      recipient: masterchain(pool.user.address),
      relayer: masterchain(pool.relayer.address),
      from: masterchain(pool.owner.address),
    });
    assertDone(outcome);
  });

  test("a quote that was taken of an empty or a fully spent pool suffices for the first note after it", async () => {
    const pool = await open({ balance: 0n });
    for (const state of ["empty", "fully spent"]) {
      const value = await pool.withdrawValue();
      assert.ok(value < TON, `${state}: ${value} is a price, not a denomination`);
      await pool.deposit();
      assertDone(await pool.withdraw({ value }), state);
      const { debt, deposits, withdrawals } = await pool.getPoolInfo();
      assert.deepEqual([debt, deposits - withdrawals], [0n, 0], "nothing is owed by nobody");
    }
  });

  test("a debt that the notes do not divide is paid to the last nano, and the last note clears it", async () => {
    const pool = await open();
    await setState(pool, { deposits: 3, debt: 10n, balance: 3n * pool.denomination });
    const left = [];
    for (let i = 0; i < 3; i++) {
      assertDone(await pool.withdraw());
      left.push((await pool.getPoolInfo()).debt);
    }
    assert.deepEqual(left, [6n, 3n, 0n]);
  });

  test("notes are paid in full from a pool that storage has eaten into, each bearing its part", async () => {
    const pool = await open();
    const notes = 4;
    const hole = 3n * TON + 1n;
    await setState(pool, { deposits: notes, debt: 0n, balance: BigInt(notes) * pool.denomination - hole });
    for (let i = 0; i < notes; i++) {
      const { total } = await keepNow(pool, prices);
      if (i === 0) assert.equal(total, divCeil(hole, BigInt(notes)));
      assertDone(await pool.withdraw(), `note ${i}`);
    }
    assert.ok(await pool.balance() >= 0n);
  });

  test("a pool without any money of its own pays its notes after years of idleness", async () => {
    const pool = await open({ balance: 0n });
    for (let i = 0; i < 4; i++) assertDone(await pool.deposit());
    pool.chain.now! += 10 * YEAR;
    for (let i = 0; i < 4; i++) {
      const outcome = assertDone(await pool.withdraw(), `note ${i}`);
      assert.deepEqual(paidTo(outcome, pool.user.address), [pool.denomination - 50_000_000n]);
      pool.chain.now! += YEAR;
    }
    assert.equal((await pool.getPoolInfo()).debt, 0n);
  });

  test("deposits and withdrawals in any order leave at least the notes' worth when they started with it", async () => {
    const pool = await open({ balance: 0n });
    for (const step of "ddwdwddwwdww") {
      if (step === "d") assertDone(await pool.deposit());
      else assertDone(await pool.withdraw());
      const { deposits, withdrawals, debt } = await pool.getPoolInfo();
      const owed = BigInt(deposits - withdrawals) * pool.denomination;
      assert.ok(await pool.balance() + debt >= owed, "what is missing is booked as debt");
    }
    const { deposits, withdrawals, debt } = await pool.getPoolInfo();
    assert.deepEqual([deposits, withdrawals, debt], [6, 6, 0n]);
    assert.ok(await pool.balance() >= 6n * ACCRUAL, "each cycle leaves the accrual");
  });
}

Deno.test("notes deposited at high prices are paid at low ones, and the other way round", async () => {
  const dear = chainPrices("default").gas(1_000n) > chainPrices(mainnetConfig()).gas(1_000n);
  assert.ok(dear, "the sandbox's own prices are the dear ones");
  for (const [first, second] of [["old", "mainnet"], ["mainnet", "old"]] as const) {
    const pool = await PoolSandbox.open({ prices: first, balance: 0n });
    for (let i = 0; i < 5; i++) assertDone(await pool.deposit());
    const config = priceLists[second];
    pool.chain.setConfig(
      config === "default" ? (await PoolSandbox.open({ prices: "old" })).chain.config : config,
    );
    for (let i = 0; i < 5; i++) assertDone(await pool.withdraw(), `${first} then ${second}, note ${i}`);
    assert.equal((await pool.getPoolInfo()).debt, 0n);
  }
});

Deno.test("a deposit that storage debt has shrunk is refused: the pool never takes less than it will owe", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  await pool.setState({ balance: 0n });
  pool.chain.now! += YEAR;
  const refused = await pool.send(await pool.depositBody(), pool.denomination, { bounce: false });
  assert.equal(refused.exitCode, 101);
  assert.equal((await pool.getPoolInfo()).deposits, 1);
});

Deno.test("the quote of an untouched pool grows by the storage that is due", async () => {
  const pool = await PoolSandbox.open({ balance: 0n });
  await pool.deposit();
  const before = await pool.withdrawValue();
  pool.chain.now! += 50 * YEAR;
  assert.ok(await pool.withdrawValue() > before);
  assertDone(await pool.withdraw());
});
