/**
 * The pool pays the reward that settlers compute before they prove (settlement_terms.ts), in both kinds of
 * pools.
 */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { FULL_REWARD_SECONDS } from "../../../src/core/protocol/v2/pool_constants.ts";
import type { SettleInfo } from "../../../src/ton/pool/v2/pool.ts";
import { decodeV2PoolData } from "../../../src/ton/pool/v2/pool_state.ts";
import { estimateSettlementCost, settlementGas } from "../../../src/ton/pool/v2/settlement_cost.ts";
import {
  prepaidReward,
  rewardByRule,
  settlementDueAt,
  settlementValue,
} from "../../../src/ton/pool/v2/settlement_terms.ts";
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { type PriceList, priceLists } from "../../../testkit/chain/pool_sandbox.ts";
import { V2JettonSandbox } from "../../../testkit/chain/v2/jetton_sandbox.ts";
import { V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import {
  assertAccepted,
  assertLeft,
  assertRefused,
  balanceChange,
} from "../../support/contracts/v2_assertions.ts";

const batches = [[1, 0], [1, 5], [3, 1], [15, 0], [16, 0], [16, 9]] as const;
const waits = [0, 7, 600, FULL_REWARD_SECONDS, FULL_REWARD_SECONDS + 1, 10 * FULL_REWARD_SECONDS];

async function settleInfo({ pool }: V2Sandbox): Promise<SettleInfo> {
  const stack = await pool.get("get_settle_info");
  return {
    settled: stack.readNumber(),
    rootCount: stack.readNumber(),
    pending: stack.readBigNumber(),
    settledAt: stack.readNumber(),
    waitingSince: stack.readNumber(),
    settlementCost: stack.readBigNumber(),
  };
}

for (const list of Object.keys(priceLists) as PriceList[]) {
  const prices = chainPrices(priceLists[list]);

  Deno.test(`a native pool pays the reward by the rule, as settlers compute it (${list} prices)`, async () => {
    const sandbox = await V2Sandbox.open({ prices: list });
    for (const [count, more] of batches) {
      for (const wait of waits) {
        const waitingSince = sandbox.pool.chain.now! - wait;
        await sandbox.setState({ deposits: count + more, commitment: () => 1n, waitingSince }, toNano(500));
        const info = await settleInfo(sandbox);
        const outcome = assertAccepted(await sandbox.settle({ end: count, value: settlementValue(info) }));
        const reward = rewardByRule(info, count, sandbox.pool.chain.now!);
        assert.equal(decodeV2PoolData(await sandbox.pool.data()).debt, reward, `${count}, ${more}, ${wait}`);
        assertLeft(outcome, -reward, prices, `${count}, ${more}, ${wait}`);
      }
    }
  });

  Deno.test(`a jetton pool pays no more than its deposits prepaid, as settlers compute it (${list} prices)`, async () => {
    const sandbox = await V2JettonSandbox.openJetton({ prices: list, balance: toNano(500) });
    let capped = 0;
    for (const [count, more] of batches) {
      for (const wait of waits) {
        const waitingSince = sandbox.pool.chain.now! - wait;
        const full = (await settleInfo(sandbox)).settlementCost * BigInt(9 * (count + more)) / 8n;
        // Deposits that prepaid at lower prices than now, at the same prices, and nothing.
        for (const pending of [0n, full / 6n, full]) {
          const state = { deposits: count + more, commitment: () => 1n, waitingSince, pending };
          await sandbox.setState(state, toNano(500));
          const info = await settleInfo(sandbox);
          const rule = rewardByRule(info, count, sandbox.pool.chain.now!);
          const reward = prepaidReward(info, rule, count, count + more);
          if (reward < rule) capped++;
          const outcome = assertAccepted(await sandbox.settle({ end: count, value: settlementValue(info) }));
          assertLeft(outcome, -reward, prices, `${count}, ${more}, ${wait}, ${pending}`);
          assert.ok(balanceChange(outcome) >= -pending * BigInt(count) / BigInt(count + more));
        }
      }
    }
    assert.ok(capped > batches.length * waits.length, `only ${capped} rewards met the cap`);
  });
}

Deno.test("a native pool without coins that owes storage pays no reward, and takes a debt that the chain collected once", async () => {
  const settle = async (years: number, bounce: boolean) => {
    const sandbox = await V2Sandbox.open();
    await sandbox.setState({ deposits: 3, commitment: () => 1n }, 0n);
    sandbox.pool.chain.now! += Math.round(years * 31_557_600);
    const { tx, sent, balanceAfter } = assertAccepted(await sandbox.settle({ value: toNano(1), bounce }));
    assert.ok(tx.description.type === "generic" && sent[0].info.type === "internal");
    assert.equal(decodeV2PoolData(await sandbox.pool.data()).debt, 0n, "no reward is owed");
    const collected = tx.description.storagePhase!.storageFeesCollected;
    return { collected, returned: sent[0].info.value.coins, balanceAfter };
  };
  const without = await settle(0, false);
  assert.equal(without.collected, 0n);
  // Before it credits a bounced message, the chain records the debt and collects nothing.
  for (const bounce of [true, false]) {
    const { collected, returned, balanceAfter } = await settle(1, bounce);
    assert.ok(bounce ? collected === 0n : collected > toNano("0.005"), `${collected}`);
    assert.equal(without.returned - returned, collected);
    assert.equal(balanceAfter, without.balanceAfter);
  }
});

Deno.test("a settlement is due when settlers think it is: one that fills its chunk at once, others after 30 s", async () => {
  for (const sandbox of [await V2Sandbox.open(), await V2JettonSandbox.openJetton()]) {
    const settledAt = sandbox.pool.chain.now!;
    const state = { deposits: 40, settled: 18, commitment: () => 1n, roots: [5n], settledAt };
    await sandbox.setState(state, toNano(500));
    assert.equal(settlementDueAt(await settleInfo(sandbox), 32), 0);
    const due = settlementDueAt(await settleInfo(sandbox), 20);
    sandbox.pool.chain.now = due - 2;
    await assertRefused(sandbox, "ERR_TOO_SOON", () => sandbox.settle({ end: 20 }));
    sandbox.pool.chain.now = due;
    assertAccepted(await sandbox.settle({ end: 20 }));
    assertAccepted(await sandbox.settle({ end: 32 }));
  }
});

const settlements = [
  ...Array.from({ length: 16 }, (_, slot) => ({ first: 512 + slot, count: 1, more: 0 })),
  ...Array.from({ length: 16 }, (_, i) => ({ first: 512, count: i + 1, more: 0 })),
  ...[1, 4, 5, 240, 241, 2_000].map((more) => ({ first: 527, count: 1, more })),
  ...[1, 4, 5, 64, 240, 241, 500, 2_032].map((more) => ({ first: 512, count: 16, more })),
  ...[0, 1, 240, 496, 2_032].map((more) => ({ first: 752, count: 16, more })),
  { first: 767, count: 1, more: 0 },
];
for (const assetKind of ["native", "jetton"] as const) {
  Deno.test(`the gas of a settlement is at most what settlers count on, and at most 3 % less: ${assetKind} pool`, async () => {
    const sandbox = assetKind === "native" ? await V2Sandbox.open() : await V2JettonSandbox.openJetton();
    const longest = assetKind === "native"
      ? [...settlements, { first: 512, count: 16, more: 32_752 }]
      : settlements;
    for (const { first, count, more } of longest) {
      const deposits = first + count + more;
      const state = {
        deposits,
        settled: first,
        commitment: (leaf: number) => BigInt(leaf) + 1n,
        roots: [1n],
      };
      await sandbox.setState(state, toNano(500_000));
      const { gasUsed } = assertAccepted(await sandbox.settle({ end: first + count }));
      const estimate = settlementGas({ assetKind, first, count, deposits });
      const shown = `${count} from ${first}, ${more} more: ${gasUsed} of ${estimate}`;
      assert.ok(Number(gasUsed) <= estimate && estimate <= 1.03 * Number(gasUsed), shown);
    }
  });
}

for (const list of Object.keys(priceLists) as PriceList[]) {
  Deno.test(`the reward of a lone deposit comes to exceed the cost of its settlement by 3 % (${list} prices)`, async () => {
    const { gas, forward } = chainPrices(priceLists[list]);
    const prices = {
      gasFee: gas,
      forwardFee: (size: { cells: bigint; bits: bigint }) => forward(0, size),
    };
    for (const assetKind of ["native", "jetton"] as const) {
      const sandbox = assetKind === "native"
        ? await V2Sandbox.open({ prices: list })
        : await V2JettonSandbox.openJetton({ prices: list });
      const info = await settleInfo(sandbox);
      const reward = rewardByRule(info, 1, info.waitingSince + FULL_REWARD_SECONDS);
      const cost = estimateSettlementCost(prices, { assetKind, first: 0, count: 1, deposits: 1 });
      assert.ok(reward * 100n >= cost * 103n, `${assetKind}: ${reward} for ${cost}`);
    }
  });
}
