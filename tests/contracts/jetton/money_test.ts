/**
 * The money of a jetton pool at the sandbox's old prices and at mainnet's: jettons to the unit, coins to the
 * nano. The sender pays all costs. The pool keeps the part of a withdrawal that SPEC.md specifies and never
 * loses a nano.
 */
import assert from "node:assert/strict";
import { contractConstants } from "../../../testkit/chain/contract_constants.ts";
import { Address, toNano } from "@ton/core";
import { storeRecoverStuck } from "../../../testkit/chain/admin_messages.ts";
import { opCodes } from "../../../src/core/protocol/messages/pool_messages.ts";
import { type ChainPrices, chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import { JettonSandbox, opCodeOf } from "../../../testkit/chain/jetton_sandbox.ts";
import { assertRejected } from "../../support/contracts/pool_assertions.ts";
import {
  freshElement,
  type Outcome,
  type PriceList,
  priceLists,
  type WithdrawChange,
} from "../../../testkit/chain/pool_sandbox.ts";

const constant = await contractConstants(1);
const DEPOSIT_GAS = constant("GAS_HIGHEST_JETTON_DEPOSIT");
const WITHDRAW_GAS = constant("GAS_HIGHEST_JETTON_WITHDRAW");
const STORAGE_SECONDS = 1_262_304_000n;
const LOG = { cells: 1n, bits: 534n };
const TRANSFER = { cells: 1n, bits: 880n };
const RETURN = { cells: 2n, bits: 928n };

const max = (...values: bigint[]) => values.reduce((a, b) => a > b ? a : b);
const fresh = (byte: string, workchain = 0) => new Address(workchain, Buffer.from(byte.repeat(32), "hex"));
const coins = ({ info }: Outcome["sent"][number]) => info.type === "internal" ? info.value.coins : 0n;

/**
 * Returns the value that a deposit and a withdrawal each leave in the pool, by SPEC.md: 40 years of two keys.
 */
const keepOf = (prices: ChainPrices) =>
  max(toNano("0.01"), prices.storage({ cells: 2n, bits: 204n, seconds: STORAGE_SECONDS }));

/** Returns the value that each transfer carries, by SPEC.md. */
const transferValue = (prices: ChainPrices) =>
  max(
    toNano("0.1"),
    prices.gas(40_000n) + 2n * prices.forward(0, { cells: 30n, bits: 12_000n }) +
      prices.storage({ cells: 4n, bits: 1_500n, seconds: 157_788_000n }),
  );

/** Returns the lowest value of a withdrawal, by SPEC.md. */
function leastValue(
  prices: ChainPrices,
  { transfers, refund }: { transfers: bigint; refund: bigint },
): bigint {
  return prices.gas(WITHDRAW_GAS) + prices.forward(0, LOG) + (refund > 0n ? prices.forward(0) : 0n) +
    transfers * (transferValue(prices) + prices.forward(0, TRANSFER)) + refund + keepOf(prices);
}

/**
 * Returns the storage fee for the largest size of a pool, by SPEC.md. By default, half of its deposits are
 * withdrawn.
 */
function storageFee(
  prices: ChainPrices,
  deposits: number,
  seconds: bigint,
  withdrawals = Math.floor(deposits / 2),
): bigint {
  const cells = (keys: number) =>
    keys < 4096 ? 7 + Math.min(7 * keys, 1365 + keys) : 5461 + 2 * Math.floor((keys - 4096) / 11);
  return prices.storage({
    cells: BigInt(110 + cells(deposits) + cells(withdrawals)),
    bits: BigInt(70_000 + 102 * (deposits + withdrawals)),
    seconds,
  });
}

/** Returns the charge for sizes that these messages do not have, and for at most 300 gas. */
function room(prices: ChainPrices, { sent }: Outcome): bigint {
  const transfers = sent.filter(({ body }) => opCodeOf(body) === opCodes.transfer);
  const bits = transfers.reduce((sum, { body }) => sum + TRANSFER.bits - BigInt(body.bits.length), 0n);
  return prices.gas(300n) + prices.forward(0, { cells: 0n, bits: bits + 265n }) - prices.forward(0);
}

for (const list of Object.keys(priceLists) as PriceList[]) {
  const prices = chainPrices(priceLists[list]);
  const open = (options: Parameters<typeof JettonSandbox.open>[0] = {}) =>
    JettonSandbox.open({ prices: list, ...options });
  const test = (name: string, fn: (t: Deno.TestContext) => Promise<void>) =>
    Deno.test(`${name} (${list} prices)`, fn);

  test("a deposit brings the denomination, and leaves the storage of its keys and nothing else in the pool", async () => {
    const jettons = await open();
    const { pool } = jettons;
    for (let i = 0; i < 40; i++) {
      const held = await jettons.balanceOf(pool.user.address);
      const outcome = assertSucceeded(await jettons.deposit({ queryId: 99n }));
      assert.equal(await jettons.balanceOf(pool.user.address), held - pool.denomination);
      assert.equal(await jettons.balanceOf(pool.address), pool.denomination * BigInt(i + 1));
      const drift = outcome.balanceAfter - outcome.balanceBefore - keepOf(prices);
      assert.ok(
        drift >= 0n && drift <= room(prices, outcome),
        `deposit ${i}: the pool's coins moved by ${drift}`,
      );
      const [excess] = outcome.sent;
      assert.equal(outcome.sent.length, 1);
      assert.ok(excess.info.dest?.toString() === pool.user.address.toString());
      const body = excess.body.beginParse();
      assert.deepEqual([body.loadUint(32), body.loadUint(64), body.remainingBits], [opCodes.excesses, 99, 0]);
      assert.ok(coins(excess) > transferValue(prices), "what a return would have taken is back");
    }
    assert.equal((await pool.getPoolInfo()).debt, 0n);
  });

  test("get_deposit_value is the gas of the highest path, the log, the jettons' way back and the keys' storage", async () => {
    const least = prices.gas(DEPOSIT_GAS) + prices.forward(0) + transferValue(prices) +
      prices.forward(0, RETURN) + keepOf(prices);
    assert.equal(await (await open()).depositValue(), least);
  });

  const splits: [claim: string, change: WithdrawChange & { fee: bigint; refund: bigint }][] = [
    ["a fee and a refund", {
      fee: 123_456_789n,
      refund: 7_654_321n,
      recipient: fresh("a1"),
      relayer: fresh("a2"),
    }],
    ["no relayer", { fee: 0n, refund: 0n, recipient: fresh("b1"), relayer: null }],
    ["a relayer for nothing", { fee: 0n, refund: 5n, recipient: fresh("c1"), relayer: fresh("c2") }],
    ["all of it the fee", { fee: toNano(10), refund: 1n, recipient: fresh("d1"), relayer: fresh("d2") }],
    ["a fee of a unit", { fee: 1n, refund: 0n, recipient: fresh("e1"), relayer: fresh("e2") }],
    ["a refund above the denomination", {
      fee: 1n,
      refund: toNano(11),
      recipient: fresh("f1"),
      relayer: fresh("f2"),
    }],
  ];
  test("a note is paid in jettons to the unit and the refund in coins to the nano", async (t) => {
    const jettons = await open();
    const { pool } = jettons;
    const submitter = await pool.chain.treasury("submitter");
    for (const [claim, change] of splits) {
      await t.step(claim, async () => {
        assertSucceeded(await jettons.deposit());
        const nullifierHash = freshElement();
        const value = await pool.withdrawValue(change.refund);
        const outcome = assertSucceeded(
          await jettons.withdraw({ ...change, nullifierHash, value, from: submitter.address, queryId: 77n }),
        );
        const { recipient, relayer, fee, refund } = change;
        assert.equal(await jettons.balanceOf(recipient!), pool.denomination - fee);
        if (relayer) assert.equal(await jettons.balanceOf(relayer), fee);
        assert.equal(await jettons.balanceOf(pool.address), 0n);
        assert.equal((await pool.chain.getContract(recipient!)).balance, refund);
        assert.equal((await pool.get("getIsSpent", nullifierHash)).readBoolean(), true);

        const transfers = outcome.sent.filter(({ body }) => opCodeOf(body) === opCodes.transfer);
        assert.equal(transfers.length, Number(fee < pool.denomination) + Number(fee > 0n));
        // The transfers share the value beyond the cost equally.
        assert.equal(new Set(transfers.map(coins)).size, 1);
        for (const message of transfers) {
          assert.ok(coins(message) > transferValue(prices));
          assert.equal(message.body.bits.length <= Number(TRANSFER.bits), true);
          assert.equal(message.info.dest?.toString(), jettons.poolWallet.toString());
        }
        assert.equal(outcome.sent.length, transfers.length + Number(refund > 0n));
        // The remainder of each transfer goes to the sender of the withdrawal.
        const excesses = outcome.transactions.filter(({ inMessage }) =>
          inMessage && opCodeOf(inMessage.body) === opCodes.excesses
        );
        assert.equal(excesses.length, transfers.length);
        for (const { inMessage } of excesses) {
          assert.equal(inMessage!.info.dest?.toString(), submitter.address.toString());
          assert.equal(inMessage!.body.beginParse().skip(32).loadUint(64), 77);
        }

        const drift = outcome.balanceAfter - outcome.balanceBefore - keepOf(prices);
        assert.ok(drift >= 0n && drift <= room(prices, outcome), `the pool keeps ${drift} beside`);
        const again = { ...change, nullifierHash, value };
        await assertRejected(pool, "ERR_ALREADY_SPENT", () => jettons.withdraw(again));
      });
    }
  });

  test("one nano less than all it costs is ERR_INSUFFICIENT_VALUE, and with it the note is paid", async () => {
    for (const fee of [0n, toNano(1), toNano(10)]) {
      for (const workchain of [0, -1]) {
        const jettons = await open();
        const { pool } = jettons;
        assertSucceeded(await jettons.deposit());
        const from = new Address(workchain, pool.owner.address.hash);
        const [refund, transfers] = [31_415_926n, fee === toNano(1) ? 2n : 1n];
        const least = leastValue(prices, { transfers, refund });
        const change = { fee, refund, from };
        await assertRejected(
          pool,
          "ERR_INSUFFICIENT_VALUE",
          () => jettons.withdraw({ ...change, value: least - 1n }),
        );
        assertSucceeded(await jettons.withdraw({ ...change, value: least }));
      }
    }
  });

  test("what get_withdraw_value says suffices a day and many deposits and withdrawals later", async () => {
    const jettons = await open();
    const { pool } = jettons;
    for (let i = 0; i < 8; i++) assertSucceeded(await jettons.deposit());
    await pool.setState({ balance: 30_000_000n });
    const root = pool.root;
    const value = await pool.withdrawValue(toNano("0.1"));
    for (let i = 0; i < 4; i++) {
      assertSucceeded(await jettons.deposit());
      assertSucceeded(await jettons.withdraw());
    }
    pool.chain.now! += 86_400;
    const from = new Address(-1, pool.user.address.hash);
    const recipient = fresh("77");
    assertSucceeded(await jettons.withdraw({ root, value, refund: toNano("0.1"), from, recipient }));
    assert.equal((await pool.chain.getContract(recipient)).balance, toNano("0.1"));
    assert.equal(await jettons.balanceOf(recipient), pool.denomination - 50_000_000n);
  });

  test("get_withdraw_value is to the nano what SPEC.md says, with storage due beyond the balance too", async () => {
    const jettons = await open();
    const { pool } = jettons;
    const quoteOf = (deposits: number, refund: bigint) =>
      2n * prices.gas(WITHDRAW_GAS) + 2n * (transferValue(prices) + prices.forward(0, TRANSFER)) +
      prices.forward(0, LOG) + (refund > 0n ? prices.forward(0) : 0n) + refund + keepOf(prices) +
      storageFee(prices, deposits, 86_400n);
    for (const deposits of [0, 5, 100_000]) {
      const touched = pool.chain.now!;
      await jettons.setState({ deposits, withdrawals: Math.floor(deposits / 2), touched });
      await pool.setState({ balance: 100_000_000n });
      for (const [idle, refund] of [[0, 0n], [0, 7n], [20_000_000, 7n]] as const) {
        pool.chain.now = touched + idle;
        const { balance } = await pool.chain.getContract(pool.address);
        const due = storageFee(prices, deposits, BigInt(idle));
        const quote = quoteOf(deposits, refund) + max(0n, due - balance);
        assert.equal(await pool.withdrawValue(refund), quote, `${deposits} deposits, ${idle} seconds`);
        if (idle > 0 && deposits === 100_000) assert.ok(due > balance, "nothing is due beyond the balance");
      }
    }
    // Nothing is due in the second of the last message, or without one, even if the pool has no coins.
    for (const touched of [pool.chain.now!, 0]) {
      await jettons.setState({ deposits: 100_000, withdrawals: 50_000, touched });
      await pool.setState({ balance: 1n });
      assert.equal(await pool.withdrawValue(0n), quoteOf(100_000, 0n), `touched at ${touched}`);
    }
  });

  test("deposits and withdrawals set touched, and nothing else does", async () => {
    const jettons = await open();
    const { pool } = jettons;
    const at = async (seconds: number, attempt: () => Promise<Outcome>) => {
      pool.chain.now! += seconds;
      await attempt();
      return (await pool.getPoolInfo()).touched;
    };
    const start = pool.chain.now!;
    assert.equal(await at(10, () => jettons.deposit()), start + 10);
    assert.equal(await at(10, () => jettons.deposit({ amount: 1n })), start + 10);
    assert.equal(await at(10, () => jettons.withdraw({ value: 100_000_000n })), start + 10);
    assert.equal(await at(10, () => jettons.withdraw()), start + 40);
  });

  test("the owner recovers what is above 40 years of storage with every note spent, and not a nano more", async () => {
    const jettons = await open();
    const { pool } = jettons;
    await jettons.setState({ deposits: 100_000, withdrawals: 50_000 });
    const reserve = storageFee(prices, 100_000, STORAGE_SECONDS, 100_000);
    assert.ok(reserve > toNano("2.5"));
    await pool.setState({ balance: reserve + toNano(1) });
    const sweep = (amount: bigint) =>
      pool.send(storeRecoverStuck(amount, fresh("99")), toNano(1), { from: pool.owner.address });
    await assertRejected(pool, "ERR_NOT_SURPLUS", () => sweep(toNano(1) + 1n));
    assertSucceeded(await sweep(toNano(1)));
  });

  test("notes are paid although storage has eaten all of the pool's coins", async () => {
    const jettons = await open();
    const { pool } = jettons;
    for (let i = 0; i < 2; i++) assertSucceeded(await jettons.deposit());
    await pool.setState({ balance: 1n });
    pool.chain.now! += 3_000_000;
    for (let i = 0; i < 2; i++) assertSucceeded(await jettons.withdraw({ refund: 5n }));
    assert.equal(await jettons.balanceOf(pool.address), 0n);
    const { deposits, withdrawals } = await pool.getPoolInfo();
    assert.deepEqual([deposits, withdrawals], [2, 2]);
    assert.ok(await pool.balance() > 0n);
  });
}
