/**
 * The coins of a version 2 jetton pool, to the nano, at the sandbox's old prices and at mainnet's. This file
 * computes the rules a second time, from contracts/v2/SPEC.md.
 */
import assert from "node:assert/strict";
import { Address, toNano } from "@ton/core";
import { storeRecoverStuck } from "../../../../testkit/chain/admin_messages.ts";
import { storeRetryPayout } from "../../../../src/core/protocol/messages/pool_messages.ts";
import { FULL_REWARD_SECONDS } from "../../../../src/core/protocol/v2/pool_constants.ts";
import { decodeV2PoolData } from "../../../../src/ton/pool/v2/pool_state.ts";
import { chainPrices } from "../../../../testkit/chain/chain_prices.ts";
import { freshElement, type PriceList, priceLists } from "../../../../testkit/chain/pool_sandbox.ts";
import { manyClaims } from "../../../../testkit/chain/v2/claims.ts";
import { fillPath } from "../../../../testkit/chain/v2/deep_slots.ts";
import { V2JettonSandbox } from "../../../../testkit/chain/v2/jetton_sandbox.ts";
import { opCodeOf } from "../../../../testkit/chain/jetton_sandbox.ts";
import {
  assertAccepted,
  assertLeft,
  assertRefused,
  balanceChange,
} from "../../../support/contracts/v2_assertions.ts";
import {
  accountStorage,
  depositValue,
  retryValue,
  settlementCost,
  settlementShare,
  storageShare,
  transferValue,
} from "../../../support/contracts/v2_jetton_costs.ts";

const TRANSFER_OP = 0x0f8a7ea5;
const YEAR = 31_557_600;
const max = (a: bigint, b: bigint) => a > b ? a : b;
const min = (...values: bigint[]) => values.reduce((a, b) => a < b ? a : b);
const stateOf = async ({ pool }: V2JettonSandbox) => decodeV2PoolData(await pool.data());
const somebody = (byte: number) => new Address(0, Buffer.alloc(32, byte));

for (const list of Object.keys(priceLists) as PriceList[]) {
  const prices = chainPrices(priceLists[list]);
  const open = () => V2JettonSandbox.openJetton({ prices: list, balance: toNano(100) });
  const test = (name: string, fn: () => Promise<void>) => Deno.test(`${name} (${list} prices)`, fn);

  test("a deposit leaves its settlement and its storage, at every place of a page and a list", async () => {
    const sandbox = await open();
    for (const [deposits, settled] of [[0, 0], [1, 0], [3, 0], [4, 0], [255, 0], [256, 0], [2_300, 253]]) {
      await sandbox.setState({ deposits, settled, commitment: (leafIndex) => BigInt(leafIndex) });
      const outcome = assertAccepted(await sandbox.deposit());
      const { pending } = await stateOf(sandbox);
      assert.equal(pending, settlementShare(prices));
      assertLeft(outcome, pending + storageShare(prices), prices, String(deposits));
    }
    assert.equal(await sandbox.jettons.depositValue(), depositValue(prices));
  });

  test("a settlement pays at most what its deposits prepaid, and keeps the rest for storage", async () => {
    const sandbox = await open();
    const cost = settlementCost(prices);
    for (const [count, wait] of [[1, 0], [1, 600], [1, FULL_REWARD_SECONDS], [3, 86_400], [15, 0], [16, 7]]) {
      for (const more of [0, 5]) {
        const rule = BigInt(count) * cost / 8n +
          BigInt(Math.min(wait, FULL_REWARD_SECONDS)) * cost / BigInt(FULL_REWARD_SECONDS);
        let unrewarded: bigint | undefined;
        for (const pending of [0n, 1n, rule, settlementShare(prices) * BigInt(count + more)]) {
          const waitingSince = sandbox.pool.chain.now! - wait;
          await sandbox.setState({ deposits: count + more, commitment: () => 1n, waitingSince, pending });
          const outcome = assertAccepted(await sandbox.settle({ end: count, value: toNano("0.5") }));
          const moved = pending * BigInt(count) / BigInt(count + more);
          const state = await stateOf(sandbox);
          assert.deepEqual([state.debt, state.pending], [0n, pending - moved]);
          assertLeft(outcome, -min(rule, moved), prices, `${count} of ${count + more}, ${pending}`);
          unrewarded ??= balanceChange(outcome); // pending is 0
          assert.equal(balanceChange(outcome), unrewarded - min(rule, moved), "the reward, to the nano");
          if (pending === settlementShare(prices) * BigInt(count + more)) {
            assert.ok(rule <= moved, "the prepaid part suffices");
          }
        }
      }
    }
  });

  test("a settlement of a pool without coins is accepted, and pays what the pool has", async () => {
    const sandbox = await open();
    for (const balance of [0n, 1n, 1_000_000n]) {
      const pending = 16n * settlementShare(prices);
      await sandbox.setState({ deposits: 16, commitment: () => 1n, waitingSince: 1, pending }, balance);
      const outcome = assertAccepted(await sandbox.settle({ value: toNano("0.5") }), String(balance));
      const paid = -(outcome.balanceAfter - outcome.balanceBefore);
      assert.ok(paid <= balance, `${paid} of ${balance}`);
    }
  });

  test("a withdrawal leaves its storage: any payees, newest and older root, shallow and deep path", async () => {
    const sandbox = await open();
    const deep = (0xabcdef0123456789abcdefn << 12n) | 7n;
    const state = { deposits: 50, settled: 40, commitment: () => 1n, roots: [5n, 6n, 7n] };
    for (const older of [false, true]) {
      for (const nullifierHash of [undefined, deep]) {
        for (const change of [{}, { refund: 12_345_678n }, { relayer: null, fee: 0n }, { fee: toNano(10) }]) {
          await sandbox.setState({ ...state, spent: fillPath(deep) });
          const root = older ? { root: 5n, rootNumber: 0 } : {};
          const recipient = somebody(Number(freshElement() % 200n) + 1);
          const outcome = assertAccepted(
            await sandbox.withdraw({ ...change, ...root, recipient, nullifierHash }),
          );
          assertLeft(outcome, storageShare(prices), prices, `${older} ${nullifierHash} ${change.fee}`);
          const values = outcome.sent.filter(({ body }) => opCodeOf(body) === TRANSFER_OP)
            .map(({ info }) => info.type === "internal" ? info.value.coins : 0n);
          assert.ok(values.every((value) => value === values[0] && value >= transferValue(prices)));
        }
      }
    }
  });

  for (const count of [1, 2, 7, 12]) {
    test(`${count} withdrawals in one message leave their storage`, async () => {
      const sandbox = await open();
      for (const change of [{}, { refund: 1_000n }, { relayer: null, fee: 0n }, { fee: toNano(10) }]) {
        await sandbox.setState({ deposits: 50, settled: 40, commitment: () => 1n, roots: [5n] });
        const refunds = BigInt(count) * (change.refund ?? 0n);
        const value = (await sandbox.pool.get("get_withdraw_many_value", BigInt(count), refunds))
          .readBigNumber();
        const outcome = assertAccepted(await sandbox.withdrawMany(Array(count).fill(change), { value }));
        assertLeft(
          outcome,
          BigInt(count) * storageShare(prices),
          prices,
          JSON.stringify(Object.keys(change)),
        );
      }
    });
  }

  test("the quote of a withdrawal suffices after twenty idle years, and 0.05 less than it needs does not", async () => {
    const sandbox = await open();
    for (const balance of [toNano(1), toNano(40)]) {
      await sandbox.setState({ deposits: 50, settled: 40, commitment: () => 1n, roots: [5n] }, balance);
      sandbox.pool.chain.now! += list === "old" ? YEAR / 4 : 2 * YEAR;
      const value = await sandbox.pool.withdrawValue(0n);
      const least = 2n * transferValue(prices);
      await assertRefused(sandbox, "ERR_INSUFFICIENT_VALUE", () => sandbox.withdraw({ value: least }));
      assertAccepted(await sandbox.withdraw({ value }));
    }
  });

  test("the owner recovers coins above 40 years of storage and the prepaid settlements, and not one nano more", async () => {
    const sandbox = await open();
    const { owner } = sandbox.pool;
    const pending = 3n * settlementShare(prices);
    await sandbox.setState(
      { deposits: 5, settled: 2, commitment: () => 1n, roots: [5n], pending },
      toNano(200),
    );
    const years = accountStorage(prices, { queued: 3, claims: 0, seconds: 1_262_304_000 });
    const surplus = toNano(200) - pending - max(toNano("2.5"), years);
    const recover = (amount: bigint) =>
      sandbox.send(storeRecoverStuck(amount, owner.address), toNano(1), {
        from: owner.address,
      });
    await assertRefused(sandbox, "ERR_NOT_SURPLUS", () => recover(surplus + 1n));
    assertAccepted(await recover(surplus));
  });

  test("a retry must carry its gas and a transfer, and the claim of one that carries less stays", async () => {
    const sandbox = await open();
    const [claim, ...others] = manyClaims(3);
    const least = retryValue(prices);
    await sandbox.setState({}, undefined, [claim, ...others]);
    const retry = (value: bigint) => sandbox.send(storeRetryPayout(claim.id), value);
    await assertRefused(sandbox, "ERR_INSUFFICIENT_VALUE", () => retry(least - 1n));
    const { balanceBefore, balanceAfter } = assertAccepted(await retry(least));
    assert.ok(balanceAfter >= balanceBefore, "the retry took coins of the pool");
    assert.equal((await sandbox.pool.getPoolInfo()).claims, others.length);
  });
}
