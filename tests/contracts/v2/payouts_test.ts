/**
 * The payments and logs of a version 2 native pool: every payee, amount and log of a withdrawal, a batch and
 * a settlement.
 */
import assert from "node:assert/strict";
import { Address, toNano } from "@ton/core";
import { exitCodes } from "../../../src/core/errors/problem.ts";
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { priceLists } from "../../../testkit/chain/pool_sandbox.ts";
import { type V2Outcome, V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import { at } from "../../support/contracts/claims.ts";
import { configWithFreeStorage } from "../../support/contracts/network_configs.ts";
import {
  assertAccepted,
  assertLeft,
  assertRefused,
  assertWithdrawalsLogged,
  balanceChange,
} from "../../support/contracts/v2_assertions.ts";

const settled = { deposits: 40, settled: 32, commitment: () => 1n, roots: [5n, 6n] };
const VALUE = toNano(4);
const far = ({ hash }: Address) => new Address(-1, hash);

/** Opens a pool whose withdrawals leave exactly 0.01: it has no debt, more coins than notes, and storage is free. */
async function openSimple(): Promise<V2Sandbox> {
  const sandbox = await V2Sandbox.open({ config: configWithFreeStorage() });
  await sandbox.setState(settled, toNano(500));
  return sandbox;
}

const payments = ({ sent }: V2Outcome) =>
  sent.map(({ info, body }) => {
    assert.ok(info.type === "internal" && !info.bounce && body.bits.length === 0);
    return [info.dest.toString(), info.value.coins] as const;
  });

Deno.test("a withdrawal pays the note and the refund to the recipient, the fee to the relayer, and logs them", async () => {
  const sandbox = await openSimple();
  const { denomination, owner } = sandbox.pool;
  const parties = { recipient: at(1), relayer: at(2) };
  for (
    const { fee, refund } of [{ fee: 7n, refund: 11n }, { fee: 0n, refund: 0n }, {
      fee: denomination,
      refund: 0n,
    }]
  ) {
    const change = { ...parties, fee, refund, nullifierHash: fee + 1n };
    const outcome = assertAccepted(
      await sandbox.withdraw({ ...change, value: VALUE, from: owner.address }),
    );
    const paid = [[at(1).toString(), denomination - fee + refund], [at(2).toString(), fee]] as const;
    const [rest, ...others] = payments(outcome).reverse();
    assert.deepEqual(others.reverse(), paid.filter(([, coins]) => coins > 0n));
    assert.equal(rest[0], owner.address.toString());
    assertWithdrawalsLogged(outcome, [change]);
  }
  assert.equal((await sandbox.pool.getPoolInfo()).withdrawals, 3);
});

Deno.test("a batch pays each note and refund, the sum of the fees, and logs each withdrawal and each skipped item", async () => {
  const sandbox = await openSimple();
  const { denomination, relayer: sender } = sandbox.pool;
  const relayer = at(9);
  const items = [
    { recipient: at(1), relayer, fee: 7n, refund: 11n, nullifierHash: 101n },
    { recipient: at(2), relayer, fee: 20n, refund: 0n, nullifierHash: 102n, root: 5n, rootNumber: 0 },
    { recipient: at(3), relayer, fee: denomination, refund: 0n, nullifierHash: 103n },
  ];
  const skipped = [201n, 202n, 203n].map((nullifierHash) => ({ relayer, nullifierHash, root: 77n }));
  const outcome = assertAccepted(await sandbox.withdrawMany([...items, ...skipped], { value: VALUE }));
  const [rest, ...paid] = payments(outcome).reverse();
  assert.equal(rest[0], sender.address.toString());
  assert.deepEqual(paid.reverse(), [
    [at(1).toString(), denomination - 7n + 11n],
    [at(2).toString(), denomination - 20n],
    [relayer.toString(), denomination + 27n],
  ]);
  const logs = [...outcome.logs];
  assert.deepEqual(
    logs.splice(3),
    skipped.map(({ nullifierHash }) => ({
      kind: "skipped",
      nullifierHash,
      code: exitCodes.ERR_UNKNOWN_ROOT,
    })),
  );
  assertWithdrawalsLogged(
    { ...outcome, logs },
    items.map(({ recipient, relayer, fee, refund, nullifierHash }) => ({
      recipient,
      relayer,
      fee,
      refund,
      nullifierHash,
    })),
  );
});

Deno.test("a message pays its chain's fees to the nano, and gas in whole units, wherever its payees are", async () => {
  const prices = chainPrices(priceLists.old);
  const unit = prices.gas(10_001n) - prices.gas(10_000n);
  const endowment = prices.storage({ cells: 1n, bits: 1023n, seconds: 631_152_000n });
  const sandbox = await V2Sandbox.open({ prices: "old" });
  const { user, relayer, denomination } = sandbox.pool;
  const near = (address: Address) => address;
  for (const [place, placeOfRelayer] of [[near, near], [near, far], [far, near], [far, far]]) {
    for (const [fee, refund] of [[0n, 0n], [7n, 11n], [denomination, 0n]]) {
      const item = {
        recipient: place(user.address),
        relayer: placeOfRelayer(relayer.address),
        fee,
        refund,
      };
      const unknown = { ...item, root: 77n };
      const messages = [
        { count: 1n, send: () => sandbox.withdraw({ ...item, value: VALUE }) },
        { count: 1n, send: () => sandbox.withdrawMany([item], { value: VALUE }) },
        { count: 2n, send: () => sandbox.withdrawMany([item, unknown, item, unknown], { value: VALUE }) },
      ];
      for (const { count, send } of messages) {
        await sandbox.setState(settled, toNano(500));
        const outcome = assertAccepted(await send());
        const left = count * (endowment - denomination);
        const what = `${count} to ${item.recipient} by ${item.relayer}, ${fee}, ${refund}`;
        assertLeft(outcome, left, prices, what);
        assert.equal((balanceChange(outcome) - left) % unit, 0n, what);
      }
    }
  }
});

Deno.test("a withdrawal from a pool that is short of coins leaves its note's share of what is missing", async () => {
  const sandbox = await openSimple();
  await sandbox.setState(settled, toNano(350)); // for 40 notes of 10
  const outcome = assertAccepted(await sandbox.withdraw({ value: VALUE }));
  const left = toNano("1.25") - sandbox.pool.denomination;
  assertLeft(outcome, left, chainPrices(priceLists.mainnet), "a 40th of 50");
});

Deno.test("a settlement is charged at most 150 units of gas more than it used", async () => {
  const prices = chainPrices(priceLists.old);
  const units = (count: bigint) => prices.gas(10_000n + count) - prices.gas(10_000n);
  const sandbox = await V2Sandbox.open({ prices: "old" });
  await sandbox.setState(settled, 0n);
  const kept = balanceChange(assertAccepted(await sandbox.settle({ value: VALUE })));
  assert.ok(kept >= 0n && kept <= units(150n), `${kept}`);
});

Deno.test("the value of a message suffices if nothing of it is left, and not if a nano is missing", async () => {
  const sandbox = await openSimple();
  // Without coins, the pool pays no reward. A reward would cover the settlement's gas.
  const messages = [
    { balance: toNano(500), send: (value: bigint) => sandbox.withdraw({ value }) },
    { balance: toNano(500), send: (value: bigint) => sandbox.withdrawMany([{}, {}], { value }) },
    { balance: 0n, send: (value: bigint) => sandbox.settle({ value }) },
  ];
  for (const [i, { balance, send }] of messages.entries()) {
    const value = toNano("0.5");
    await sandbox.setState(settled, balance);
    const [, rest] = payments(assertAccepted(await send(value))).at(-1)!;
    await sandbox.setState(settled, balance);
    assertAccepted(await send(value - rest), `message ${i}`);
    await sandbox.setState(settled, balance);
    await assertRefused(sandbox, "ERR_INSUFFICIENT_VALUE", () => send(value - rest - 1n), `message ${i}`);
  }
});

Deno.test("a settlement without the bounce flag pays the storage that is due, and the rest returns to its sender", async () => {
  const prices = chainPrices(priceLists.mainnet);
  const sandbox = await V2Sandbox.open();
  for (const pending of [0n, toNano(1)]) {
    await sandbox.setState({ deposits: 16, commitment: () => 1n, pending }, 0n);
    sandbox.pool.chain.now! += 10_000_000;
    const outcome = assertAccepted(await sandbox.settle({ value: toNano("0.5"), bounce: false }));
    assert.ok(outcome.tx.description.type === "generic");
    const { storageFeesCollected = 0n, storageFeesDue } = outcome.tx.description.storagePhase ?? {};
    assert.ok(!storageFeesDue && storageFeesCollected > 0n, "the chain took it from the value");
    assertLeft(outcome, storageFeesCollected, prices, "the pool keeps nothing of the value");
  }
});
