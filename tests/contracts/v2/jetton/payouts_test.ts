/**
 * The payments and logs of a version 2 jetton pool: every payee, amount and log of a withdrawal, a batch and
 * a settlement.
 */
import assert from "node:assert/strict";
import { type Address, beginCell, toNano } from "@ton/core";
import { storeJettonTransfer } from "../../../../src/core/protocol/messages/jetton_messages.ts";
import { opCodes } from "../../../../src/core/protocol/messages/pool_messages.ts";
import { storeEnqueue } from "../../../../src/core/protocol/v2/messages.ts";
import { chainPrices } from "../../../../testkit/chain/chain_prices.ts";
import { priceLists } from "../../../../testkit/chain/pool_sandbox.ts";
import { V2JettonSandbox } from "../../../../testkit/chain/v2/jetton_sandbox.ts";
import type { V2Outcome } from "../../../../testkit/chain/v2/sandbox.ts";
import { at } from "../../../support/contracts/claims.ts";
import { configWithClosedBasechain } from "../../../support/contracts/network_configs.ts";
import {
  assertAccepted,
  assertRefused,
  assertWithdrawalsLogged,
  balanceChange,
} from "../../../support/contracts/v2_assertions.ts";
import { storageShare } from "../../../support/contracts/v2_jetton_costs.ts";

const settled = { deposits: 40, settled: 32, commitment: () => 1n, roots: [5n, 6n] };
const VALUE = toNano(4);

/** Returns the pool's own messages: destination, coins where they are exact, and body. */
function messagesOf({ sent }: V2Outcome) {
  return sent.map(({ info, body }) => {
    assert.ok(info.type === "internal");
    return { to: info.dest.toString(), coins: info.value.coins, body: body.toString() };
  });
}

/** Asserts that the pool sends these refunds, then these transfers, which share the rest equally. */
function assertPaid(
  sandbox: V2JettonSandbox,
  outcome: V2Outcome,
  refunds: readonly (readonly [Address, bigint])[],
  transfers: readonly (readonly [Address, bigint])[],
): void {
  const messages = messagesOf(outcome);
  assert.equal(messages.length, refunds.length + transfers.length);
  const shared = messages.at(-1)!.coins;
  const empty = beginCell().endCell().toString();
  assert.deepEqual(messages, [
    ...refunds.map(([to, coins]) => ({ to: to.toString(), coins, body: empty })),
    ...transfers.map(([destination, amount]) => ({
      to: sandbox.jettons.poolWallet.toString(),
      coins: shared,
      body: storeJettonTransfer({
        queryId: 0n,
        amount,
        destination,
        responseDestination: sandbox.pool.relayer.address,
        forwardAmount: 0n,
        forwardPayload: null,
      }).toString(),
    })),
  ]);
}

Deno.test("a withdrawal pays the refund and the note to the recipient, the fee to the relayer, and logs them", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool } = sandbox;
  await sandbox.setState(settled);
  const parties = { recipient: at(1), relayer: at(2) };
  for (const { fee, refund } of [{ fee: 7n, refund: 11n }, { fee: pool.denomination, refund: 0n }]) {
    const change = { ...parties, fee, refund, nullifierHash: fee };
    const outcome = assertAccepted(await sandbox.withdraw({ ...change, value: VALUE }));
    const payout = [[at(1), pool.denomination - fee]] as const;
    assertPaid(
      sandbox,
      outcome,
      refund === 0n ? [] : [[at(1), refund]],
      [...payout.filter(([, amount]) => amount > 0n), [at(2), fee]],
    );
    assertWithdrawalsLogged(outcome, [change]);
  }
  assert.equal((await pool.getPoolInfo()).withdrawals, 2);
});

Deno.test("a batch pays every refund and note, the sum of the fees in one transfer, and logs each withdrawal", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool } = sandbox;
  await sandbox.setState(settled);
  const relayer = at(9);
  const items = [
    { recipient: at(1), relayer, fee: 7n, refund: 11n, nullifierHash: 101n },
    { recipient: at(2), relayer, fee: 20n, refund: 0n, nullifierHash: 102n },
    { recipient: at(3), relayer, fee: pool.denomination, refund: 13n, nullifierHash: 103n },
  ];
  const older = { root: 5n, rootNumber: 0 };
  const changes = items.map((item, i) => i === 1 ? { ...item, ...older } : item);
  const outcome = assertAccepted(await sandbox.withdrawMany(changes, { value: VALUE }));
  assertPaid(
    sandbox,
    outcome,
    [[at(1), 11n], [at(3), 13n]],
    [[at(1), pool.denomination - 7n], [at(2), pool.denomination - 20n], [relayer, pool.denomination + 27n]],
  );
  assertWithdrawalsLogged(outcome, items);
  assert.equal((await pool.getPoolInfo()).withdrawals, 3);
});

Deno.test("what a batch is charged differs from its storage and its fees by whole units of gas", async () => {
  const prices = chainPrices(priceLists.old);
  const sandbox = await V2JettonSandbox.openJetton({ prices: "old" });
  const unit = prices.gas(1_001n) - prices.gas(1_000n);
  for (const refund of [0n, 11n]) {
    await sandbox.setState(settled);
    const item = { recipient: at(1), relayer: null, fee: 0n, refund };
    const outcome = assertAccepted(await sandbox.withdrawMany([item], { value: VALUE }));
    assert.ok(outcome.tx.description.type === "generic");
    const charged = prices.forward(0, { cells: 1n, bits: 534n }) + (refund === 0n ? 0n : prices.forward(0)) +
      prices.forward(0, { cells: 1n, bits: 880n });
    const paid = outcome.tx.description.actionPhase!.totalFwdFees!;
    const gas = balanceChange(outcome) - storageShare(prices) - (charged - paid);
    assert.equal(gas % unit, 0n);
  }
});

Deno.test("a settlement logs the number of its root, and the getter returns the newest 30 roots", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool } = sandbox;
  await sandbox.setState(settled);
  const outcome = assertAccepted(await sandbox.settle({ newRoot: 77n }));
  assert.deepEqual(outcome.logs, [
    { kind: "settlement", rootNumber: 2, newRoot: 77n, end: 40, timestamp: pool.chain.now },
  ]);
  const history = (await pool.get("get_root_history")).readTuple();
  const roots = Array.from({ length: history.remaining }, () => history.readBigNumber());
  assert.deepEqual(roots, [77n, 6n, 5n, ...Array(27).fill(0n)]);
});

Deno.test("forged proofs cannot withdraw more notes than are settled", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  await sandbox.setState({ ...settled, withdrawals: 31 });
  assertAccepted(await sandbox.withdraw({ value: VALUE }));
  await assertRefused(sandbox, "ERR_PROOF_INVALID", () => sandbox.withdraw({ value: VALUE }));
});

Deno.test("a deposit stands although its excess cannot be sent, which then stays with the pool", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool, jettons } = sandbox;
  // The wallet would report an unreachable depositor in this way.
  const body = beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64)
    .storeCoins(pool.denomination).storeAddress(at(0xdd)).storeMaybeRef(
      storeEnqueue({ queryId: 0n, commitment: 7n }),
    ).endCell();
  pool.chain.setConfig(configWithClosedBasechain());
  const outcome = assertAccepted(
    await sandbox.send(body, toNano(1), { from: jettons.poolWallet, bounce: false }),
  );
  assert.deepEqual([outcome.sent.length, outcome.logs.length], [0, 1]);
  assert.equal((await pool.getPoolInfo()).deposits, 1);
  assert.equal(balanceChange(outcome), toNano(1) - outcome.tx.totalFees.coins);
});
