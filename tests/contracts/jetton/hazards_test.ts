/**
 * Events that could separate jettons from notes: sends that fail, extreme prices, and every amount of gas
 * that is too low.
 */
import { MAX_DEPOSIT_VALUE_NANO } from "../../../src/client/deposit/deposit_jetton.ts";
import assert from "node:assert/strict";
import { Address, beginCell, toNano } from "@ton/core";
import { internal } from "@ton/sandbox";
import { mainnetConfig } from "../../../src/localnet/mainnet_config.ts";
import { opCodes, storeDiscoverJettonWallet } from "../../../src/core/protocol/messages/pool_messages.ts";
import {
  configWithClosedBasechain,
  configWithScaledPrices,
  RESULT_UNREACHABLE_WORKCHAIN,
} from "../../support/contracts/network_configs.ts";
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { assertJettonsReturned, assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import {
  emptyBody,
  freshElement,
  type Outcome,
  type PoolSandbox,
} from "../../../testkit/chain/pool_sandbox.ts";

const somebody = (byte: number, workchain = 0) => new Address(workchain, Buffer.alloc(32, byte));

/** Asserts that an attempt changed nothing: state and coins are as before, and the value returned. */
async function assertUndone(pool: PoolSandbox, attempt: () => Promise<Outcome>): Promise<void> {
  const data = await pool.data();
  const outcome = await attempt();
  assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, RESULT_UNREACHABLE_WORKCHAIN]);
  assert.ok((await pool.data()).equals(data));
  assert.equal(outcome.balanceAfter, outcome.balanceBefore);
  assert.deepEqual(outcome.logs, []);
  const [back] = outcome.sent;
  assert.ok(outcome.sent.length === 1 && back.info.type === "internal" && back.info.bounced);
}

Deno.test("a transfer that cannot be sent undoes the withdrawal, and the note stays unspent", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  const [nullifierHash, from, value] = [freshElement(), somebody(0xcc, -1), toNano(1)];
  pool.chain.setConfig(configWithClosedBasechain());
  for (const fee of [0n, toNano(1), pool.denomination]) {
    for (const refund of [0n, 5n]) {
      await assertUndone(pool, () => jettons.withdraw({ nullifierHash, from, fee, refund, value }));
    }
  }
  pool.chain.setConfig(mainnetConfig());
  assert.equal((await pool.get("getIsSpent", nullifierHash)).readBoolean(), false);
  assertSucceeded(await jettons.withdraw({ nullifierHash }));
  assert.equal((await pool.get("getIsSpent", nullifierHash)).readBoolean(), true);
});

Deno.test("a master that cannot be reached is asked again: the asker's value comes back", async () => {
  const { pool } = await JettonSandbox.open({ discovered: false });
  const from = somebody(0xcc, -1);
  pool.chain.setConfig(configWithClosedBasechain());
  await assertUndone(pool, () => pool.send(storeDiscoverJettonWallet(), toNano(1), { from }));
  pool.chain.setConfig(mainnetConfig());
  assertSucceeded(await pool.send(storeDiscoverJettonWallet(), toNano("0.2")));
});

Deno.test("a deposit stands although its excess cannot be sent, which then stays with the pool", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  const [from, newRoot, value] = [jettons.poolWallet, freshElement(), toNano(1)];
  // The wallet would report an unreachable depositor in this way.
  const notification = beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64)
    .storeCoins(pool.denomination).storeAddress(somebody(0xdd)).storeBit(1)
    .storeRef(await pool.depositBody({ newRoot })).endCell();
  pool.chain.setConfig(configWithClosedBasechain());
  const outcome = assertSucceeded(await pool.send(notification, value, { from, bounce: false }));
  assert.deepEqual([outcome.sent.length, outcome.logs.length], [0, 1]);
  assert.equal((await pool.get("getCurrentRoot")).readBigNumber(), newRoot);
  assert.equal(
    outcome.balanceAfter,
    outcome.balanceBefore + value - outcome.tx.totalFees.coins,
  );
});

for (const times of [1n, 30n, 100n]) {
  Deno.test(`at ${times} times mainnet's prices jettons arrive, return and are paid to new wallets`, async () => {
    const jettons = await JettonSandbox.open({ config: configWithScaledPrices(times), balance: toNano(50) });
    const { pool } = jettons;
    await assertJettonsReturned(jettons, "ERR_WRONG_DENOMINATION", () => jettons.deposit({ amount: 1n }));
    assertSucceeded(await jettons.deposit());
    const [recipient, relayer] = [somebody(0xa1), somebody(0xa2)];
    const { balanceBefore: before, balanceAfter: after } = assertSucceeded(
      await jettons.withdraw({ recipient, relayer, refund: 7n }),
    );
    assert.equal(await jettons.balanceOf(recipient), pool.denomination - 50_000_000n);
    assert.equal(await jettons.balanceOf(relayer), 50_000_000n);
    assert.ok(after > before);
  });
}

Deno.test("a withdrawal with too little for its gas, at every 2,000 of it, changes nothing; with enough all is done", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  const data = await pool.data();
  const prices = chainPrices(mainnetConfig());
  const nullifierHash = freshElement();
  const codes = new Set<number>();
  for (let gas = 0n; gas < 140_000n; gas += 2_000n) {
    const outcome = await jettons.withdraw({ nullifierHash, value: prices.gas(gas) + 1n });
    codes.add(outcome.exitCode);
    assert.ok((await pool.data()).equals(data), `with ${gas}`);
    assert.ok(outcome.balanceAfter >= outcome.balanceBefore, `with ${gas} the pool paid`);
    assert.equal(await jettons.balanceOf(pool.address), pool.denomination);
  }
  assert.ok(codes.has(-14) && codes.has(205) && !codes.has(0), [...codes].join());
  assertSucceeded(await jettons.withdraw({ nullifierHash }));
});

/**
 * Opens a pool that owes storage for `seconds` seconds and has no coins to pay it, with wallets that have
 * coins.
 */
async function indebted(seconds: number): Promise<JettonSandbox> {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  await pool.setState({ balance: 0n });
  pool.chain.now! += seconds;
  for (const to of [jettons.poolWallet, jettons.walletOf(pool.user.address)]) {
    const message = { from: pool.user.address, to, value: toNano("0.3"), bounce: false, body: emptyBody };
    await pool.chain.sendMessage(internal(message));
  }
  return jettons;
}

// A notification does not bounce, so the chain takes the due storage from its value. An earlier version lost
// the jettons.
for (const seconds of [90_000_000, 450_000_000, 550_000_000]) {
  Deno.test(`what get_deposit_value says suffices a pool that owes ${seconds} seconds of storage`, async () => {
    const jettons = await indebted(seconds);
    const { pool } = jettons;
    const { balance, account } = await pool.chain.getContract(pool.address);
    assert.ok(account.account!.storageStats.lastPaid < pool.chain.now! && balance === 0n);
    assert.ok(await jettons.depositValue() < MAX_DEPOSIT_VALUE_NANO, "clients send it");
    assertSucceeded(await jettons.deposit());
    assert.equal(await jettons.balanceOf(pool.address), 2n * pool.denomination);
    for (let i = 0; i < 2; i++) assertSucceeded(await jettons.withdraw());
    assert.equal(await jettons.balanceOf(pool.address), 0n);

    const other = await indebted(seconds);
    const held = await other.balanceOf(other.pool.user.address);
    const refused = await other.deposit({ amount: other.pool.denomination - 1n });
    assert.deepEqual([refused.exitCode, refused.actionCode], [101, 0]);
    assert.equal(await other.balanceOf(other.pool.user.address), held, "the jettons are back");
  });
}
