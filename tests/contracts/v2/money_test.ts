/**
 * The money of a version 2 pool, to the nano, at the sandbox's old prices and at mainnet's. This file
 * computes the rules a second time, from contracts/v2/SPEC.md.
 */
import assert from "node:assert/strict";
import { contractConstants } from "../../../testkit/chain/contract_constants.ts";
import { Address, toNano } from "@ton/core";
import { storeRecoverStuck } from "../../../testkit/chain/admin_messages.ts";
import { FULL_REWARD_SECONDS, PARTIAL_BATCH_SECONDS } from "../../../src/core/protocol/v2/pool_constants.ts";
import { depositComment, storeEnqueue } from "../../../src/core/protocol/v2/messages.ts";
import { type ChainPrices, chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { freshElement, type PriceList, priceLists } from "../../../testkit/chain/pool_sandbox.ts";
import { decodeV2PoolData } from "../../../src/ton/pool/v2/pool_state.ts";
import { commentBody, splitComment, V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import { fillPath } from "../../../testkit/chain/v2/deep_slots.ts";
import { at } from "../../support/contracts/claims.ts";
import { configWithFreeStorage } from "../../support/contracts/network_configs.ts";
import { assertAccepted, assertLeft, assertRefused } from "../../support/contracts/v2_assertions.ts";

const constant = await contractConstants(2);
const GAS_SETTLEMENT = constant("GAS_SETTLEMENT");
const RESERVE = 10_000_000n;
const ACCRUAL = 5_000_000n;
const YEAR = 31_557_600;

const max = (...values: bigint[]) => values.reduce((a, b) => a > b ? a : b);
const min = (a: bigint, b: bigint) => a < b ? a : b;
const divCeil = (a: bigint, b: bigint) => (a + b - 1n) / b;
const stateOf = async (sandbox: V2Sandbox) => decodeV2PoolData(await sandbox.pool.data());

/** Returns the value that `count` withdrawals leave in the pool. */
async function keepOf(sandbox: V2Sandbox, prices: ChainPrices, count: number, due = 0n) {
  const { deposits, settled, withdrawals, debt, denomination } = await stateOf(sandbox);
  const [k, payers, unspent] = [BigInt(count), BigInt(settled - withdrawals), BigInt(deposits - withdrawals)];
  const balance = await sandbox.pool.balance() - due;
  const share = divCeil(debt * k, payers);
  const solvency = divCeil(k * max(0n, unspent * denomination - balance), unspent);
  const endowment = prices.storage({ cells: 1n, bits: 1023n, seconds: 631_152_000n });
  return { share, total: max(k * RESERVE, share + k * max(ACCRUAL, endowment), solvency) };
}

const costOf = (prices: ChainPrices) =>
  prices.gas(GAS_SETTLEMENT) + 2n * prices.forward(0) + prices.forward(0, { cells: 2n, bits: 1920n });

for (const list of Object.keys(priceLists) as PriceList[]) {
  const prices = chainPrices(priceLists[list]);
  const open = (options: Parameters<typeof V2Sandbox.open>[0] = {}) =>
    V2Sandbox.open({ prices: list, ...options });
  const test = (name: string, fn: () => Promise<void>) => Deno.test(`${name} (${list} prices)`, fn);

  test("a deposit's gas is pending to the nano, at every place of a page and a list, by op and by comment in 1 to 4 cells", async () => {
    const sandbox = await open();
    const comment = commentBody(depositComment(1n));
    const comments = [[], [312], [312, 416], [312, 416, 520]].map((cuts) => splitComment(comment, cuts));
    const places = [[0, 0], [1, 0], [3, 0], [4, 0], [255, 0], [256, 0], [300, 17], [33_022, 300]];
    for (const [deposits, settled] of places) {
      for (const [form, body] of [storeEnqueue({ queryId: 0n, commitment: 1n }), ...comments].entries()) {
        const before = 12_345n;
        const state = { deposits, settled, commitment: (leafIndex: number) => BigInt(leafIndex) };
        await sandbox.setState({ ...state, pending: before });
        const outcome = assertAccepted(await sandbox.send(body, sandbox.pool.denomination));
        const gas = (await stateOf(sandbox)).pending - before;
        assertLeft(outcome, sandbox.pool.denomination - gas, prices, `${deposits}, ${form}`);
      }
    }
  });

  test("a settlement pays the rule's reward, and books it with its part of the pending gas", async () => {
    const sandbox = await open();
    for (const [count, wait] of [[1, 0], [1, 600], [1, FULL_REWARD_SECONDS], [3, 86_400], [15, 0], [16, 7]]) {
      for (const more of [0, 5]) {
        const waitingSince = sandbox.pool.chain.now! - wait;
        const [pending, debt, settled] = [123_456_789n, 55n, 32];
        const deposits = settled + count + more;
        await sandbox.setState({ deposits, settled, commitment: () => 1n, waitingSince, pending, debt });
        const outcome = assertAccepted(await sandbox.settle({ end: settled + count }));
        const cost = costOf(prices);
        const reward = BigInt(count) * cost / 8n +
          BigInt(Math.min(wait, FULL_REWARD_SECONDS)) * cost / BigInt(FULL_REWARD_SECONDS);
        const moved = more === 0 ? pending : pending * BigInt(count) / BigInt(count + more);
        const state = await stateOf(sandbox);
        assert.deepEqual([state.debt, state.pending], [debt + moved + reward, pending - moved]);
        assertLeft(outcome, -reward, prices, `${count} after ${wait}`);
      }
    }
  });

  test("the wait counts from the last settlement, or from the first deposit into an empty queue", async () => {
    const sandbox = await open();
    const since = async () => (await stateOf(sandbox)).waitingSince;
    sandbox.pool.chain.now! += 1000;
    await sandbox.deposit();
    const first = sandbox.pool.chain.now!;
    sandbox.pool.chain.now! += 100;
    await sandbox.deposit();
    assert.equal(await since(), first);
    assertAccepted(await sandbox.settle({ end: 1 }));
    assert.equal(await since(), first + 100);
    sandbox.pool.chain.now! += PARTIAL_BATCH_SECONDS;
    assertAccepted(await sandbox.settle());
    sandbox.pool.chain.now! += 5000;
    await sandbox.deposit();
    assert.equal(await since(), sandbox.pool.chain.now!);
  });

  test("a settlement never fails for lack of the pool's money: the reward is what the pool can pay", async () => {
    const sandbox = await open();
    for (const balance of [0n, 1n, 1_000_000n, costOf(prices)]) {
      await sandbox.setState({ deposits: 16, commitment: () => 1n, waitingSince: 1 }, balance);
      const outcome = assertAccepted(await sandbox.settle({ value: toNano("0.3") }), String(balance));
      const { debt } = await stateOf(sandbox);
      const rule = 3n * costOf(prices);
      assert.ok(
        debt <= min(rule, balance) && debt + 1_000_000n >= min(rule, balance),
        `${debt} of ${balance}`,
      );
      assertLeft(outcome, -debt, prices, String(balance));
    }
  });

  for (const count of [1, 7, 16]) {
    test(`${count} withdrawals in one message leave what they must, and the debt falls by their share`, async () => {
      const sandbox = await open();
      for (
        const [debt, balance] of [[0n, undefined], [987_654_321n, undefined], [12_345n, toNano(150)]] as const
      ) {
        const roots = [freshElement()];
        const state = { deposits: 40, settled: 30, withdrawals: 3, commitment: () => 1n, roots, debt };
        await sandbox.setState(state, balance);
        const keep = await keepOf(sandbox, prices, count);
        const changes = Array(count).fill({ fee: 3_000_000n, refund: 2_000_000n });
        const outcome = assertAccepted(await sandbox.withdrawMany(changes, { value: toNano(200) }));
        assert.equal((await stateOf(sandbox)).debt, debt - keep.share);
        assertLeft(outcome, keep.total - BigInt(count) * sandbox.pool.denomination, prices, `${debt}`);
      }
    });
  }

  test("a withdrawal leaves what it must: any payees, newest and older root, shallow and deep path", async () => {
    const sandbox = await open();
    const { user, relayer } = sandbox.pool;
    const far = ({ hash }: Address) => new Address(-1, hash);
    const key = (0xabcdefn << 12n) | 7n;
    for (const deep of [false, true]) {
      for (const place of [(address: Address) => address, far]) {
        for (const fee of [0n, 50_000_000n, sandbox.pool.denomination]) {
          const roots = [freshElement(), freshElement()];
          const spent = deep ? fillPath(key) : undefined;
          const state = { deposits: 9, settled: 9, commitment: () => 1n, roots, debt: 77_777_777n };
          await sandbox.setState({ ...state, ...(spent && { spent }) });
          const keep = await keepOf(sandbox, prices, 1);
          const root = deep ? { root: roots[0], rootNumber: 0 } : {};
          const outcome = assertAccepted(
            await sandbox.withdraw({
              ...root,
              nullifierHash: key,
              fee,
              refund: fee === sandbox.pool.denomination ? 0n : 4_000_000n,
              recipient: place(user.address),
              relayer: place(relayer.address),
              from: place(relayer.address),
            }),
          );
          assertLeft(outcome, keep.total - sandbox.pool.denomination, prices, `${deep} ${fee}`);
        }
      }
    }
  });

  test("the quote suffices after another settlement and a day of storage", async () => {
    const sandbox = await open();
    const state = { deposits: 20, settled: 16, commitment: () => 1n, roots: [freshElement()], debt: 5n };
    await sandbox.setState({ ...state, touched: sandbox.pool.chain.now! }, toNano(150));
    const value = await sandbox.pool.withdrawValue(9_999n);
    sandbox.pool.chain.now! += 86_400;
    assertAccepted(await sandbox.settle());
    assertAccepted(await sandbox.withdraw({ value, refund: 9_999n }));
  });

  test("every note is paid, the last one too, after a decade and with rewards at their highest", async () => {
    const sandbox = await open({ denomination: toNano(10) });
    for (let i = 0; i < 6; i++) {
      await sandbox.deposit();
      sandbox.pool.chain.now! += i === 3 ? 10 * YEAR : FULL_REWARD_SECONDS;
      assertAccepted(await sandbox.settle({ value: toNano("0.3") }));
    }
    for (let i = 0; i < 6; i++) assertAccepted(await sandbox.withdraw({ fee: 0n, relayer: null }), String(i));
    const state = await stateOf(sandbox);
    assert.deepEqual([state.debt, state.pending, state.withdrawals], [0n, 0n, 6]);
    await assertRefused(sandbox, "ERR_PROOF_INVALID", () => sandbox.withdraw({ value: toNano(1) }));
  });
}

Deno.test("no withdrawal pays more than the dearest deposit, however rewards and withdrawals are ordered", async () => {
  const prices = chainPrices(priceLists.mainnet);
  const sandbox = await V2Sandbox.open();
  let dearest = 0n;
  const deposit = async () => {
    const before = (await stateOf(sandbox)).pending;
    await sandbox.deposit();
    const gas = (await stateOf(sandbox)).pending - before;
    dearest = max(dearest, gas + costOf(prices) / 8n + costOf(prices));
  };
  const settleAlone = async () => {
    sandbox.pool.chain.now! += FULL_REWARD_SECONDS;
    assertAccepted(await sandbox.settle({ end: sandbox.settled + 1 }));
  };
  for (let i = 0; i < 8; i++) await deposit();
  for (let i = 0; i < 8; i++) await settleAlone();
  for (let size = 6; size > 0; size >>= 1) {
    // Withdraws the settled notes while the next deposits wait, then settles those deposits.
    for (let i = 0; i < size; i++) await deposit();
    for (let i = 0; i < size; i++) {
      const { share } = await keepOf(sandbox, prices, 1);
      assert.ok(share <= dearest + 1n, `${share} of ${dearest}`);
      assertAccepted(await sandbox.withdraw());
    }
    for (let i = 0; i < size; i++) await settleAlone();
  }
  const { settled, withdrawals } = await stateOf(sandbox);
  for (let i = withdrawals; i < settled; i++) {
    assert.ok((await keepOf(sandbox, prices, 1)).share <= dearest + 1n);
    assertAccepted(await sandbox.withdraw());
  }
  assert.equal((await stateOf(sandbox)).debt, 0n);
});

Deno.test("the owner can take what exceeds all notes, debt, pending gas and 40 years of storage, and no more", async () => {
  const sandbox = await V2Sandbox.open();
  const prices = chainPrices(priceLists.mainnet);
  const from = sandbox.pool.owner.address;
  const state = { deposits: 20, settled: 16, withdrawals: 3, commitment: () => 1n, debt: 70n, pending: 7n };
  await sandbox.setState(state, toNano(1000));
  const cells = constant("FIXED_CELLS") + 2n; // four queued commitments
  const bits = constant("FIXED_BITS") + 4n * 300n;
  const storage = prices.storage({ cells, bits, seconds: constant("STORAGE_SECONDS") });
  const surplus = toNano(1000) - 17n * toNano(10) - 77n - max(toNano("2.5"), storage);
  const take = (amount: bigint) => sandbox.send(storeRecoverStuck(amount, from), toNano(1), { from });
  await assertRefused(sandbox, "ERR_NOT_SURPLUS", () => take(surplus + 1n));
  assertAccepted(await take(surplus));
  const stranger = () => sandbox.send(storeRecoverStuck(1n, from), toNano(1));
  await assertRefused(sandbox, "ERR_NOT_OWNER", stranger);
});

Deno.test("where storage is free, the owner leaves 2.5, and what is recovered arrives at the named account", async () => {
  const sandbox = await V2Sandbox.open({ config: configWithFreeStorage() });
  await sandbox.setState({}, toNano(10));
  const from = sandbox.pool.owner.address;
  const recover = (amount: bigint) => sandbox.send(storeRecoverStuck(amount, at(1)), toNano(1), { from });
  await assertRefused(sandbox, "ERR_NOT_SURPLUS", () => recover(toNano("7.5") + 1n));
  assertAccepted(await recover(toNano("7.5")));
  const { balance } = await sandbox.pool.chain.getContract(at(1));
  assert.equal(balance, toNano("7.5") - chainPrices(priceLists.mainnet).forward(0));
});
