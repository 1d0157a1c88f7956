/** What could part jettons from notes: sends that fail, prices out of the ordinary, every amount of gas too little. */
import assert from "node:assert/strict";
import { Address, beginCell, toNano } from "@ton/core";
import { internal } from "@ton/sandbox";
import { mainnetConfig } from "../../src/localnet/mainnet_prices.ts";
import { opCodes, storeDiscoverJettonWallet } from "../../src/core/messages.ts";
import { CANNOT_REACH, closedBasechain, dearBasechain } from "../support/chain_configs.ts";
import { chainPrices } from "../support/chain_prices.ts";
import { assertDone, assertReturned } from "../support/jetton_claims.ts";
import { JettonSandbox, opOf } from "../support/jetton_sandbox.ts";
import { emptyBody, freshElement, type Outcome, type PoolSandbox } from "../support/pool_sandbox.ts";

const somebody = (byte: number, workchain = 0) => new Address(workchain, Buffer.alloc(32, byte));

/** Nothing happened: state and coins are as before, and the value went back. */
async function assertUndone(pool: PoolSandbox, attempt: () => Promise<Outcome>): Promise<void> {
  const data = await pool.data();
  const outcome = await attempt();
  assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, CANNOT_REACH]);
  assert.ok((await pool.data()).equals(data));
  assert.equal(outcome.after, outcome.before);
  assert.deepEqual(outcome.logs, []);
  const [back] = outcome.sent;
  assert.ok(outcome.sent.length === 1 && back.info.type === "internal" && back.info.bounced);
}

Deno.test("a transfer that cannot be sent undoes the withdrawal, and the note stays unspent", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertDone(await jettons.deposit());
  const [nullifierHash, from, value] = [freshElement(), somebody(0xcc, -1), toNano(1)];
  pool.chain.setConfig(closedBasechain());
  for (const fee of [0n, toNano(1), pool.denomination]) {
    for (const refund of [0n, 5n]) {
      await assertUndone(pool, () => jettons.withdraw({ nullifierHash, from, fee, refund, value }));
    }
  }
  pool.chain.setConfig(mainnetConfig());
  assert.equal((await pool.get("getIsSpent", nullifierHash)).readBoolean(), false);
  assertDone(await jettons.withdraw({ nullifierHash }));
  assert.equal((await pool.get("getIsSpent", nullifierHash)).readBoolean(), true);
});

Deno.test("a master that cannot be reached is asked again: the asker's value comes back", async () => {
  const { pool } = await JettonSandbox.open({ discovered: false });
  const from = somebody(0xcc, -1);
  pool.chain.setConfig(closedBasechain());
  await assertUndone(pool, () => pool.send(storeDiscoverJettonWallet(), toNano(1), { from }));
  pool.chain.setConfig(mainnetConfig());
  assertDone(await pool.send(storeDiscoverJettonWallet(), toNano("0.2")));
});

Deno.test("a deposit stands although its excess cannot be sent, which then stays with the pool", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  const [from, newRoot, value] = [jettons.poolWallet, freshElement(), toNano(1)];
  // As the wallet would say it of a depositor whom nobody can reach.
  const notification = beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64)
    .storeCoins(pool.denomination).storeAddress(somebody(0xdd)).storeBit(1)
    .storeRef(await pool.depositBody({ newRoot })).endCell();
  pool.chain.setConfig(closedBasechain());
  const outcome = assertDone(await pool.send(notification, value, { from, bounce: false }));
  assert.deepEqual([outcome.sent.length, outcome.logs.length], [0, 1]);
  assert.equal((await pool.get("getCurrentRoot")).readBigNumber(), newRoot);
  assert.equal(
    outcome.after,
    outcome.before + value - outcome.tx.totalFees.coins,
  );
});

for (const times of [1n, 30n, 100n]) {
  Deno.test(`at ${times} times mainnet's prices jettons arrive, return and are paid to new wallets`, async () => {
    const jettons = await JettonSandbox.open({ config: dearBasechain(times), balance: toNano(50) });
    const { pool } = jettons;
    await assertReturned(jettons, "ERR_WRONG_DENOMINATION", () => jettons.deposit({ amount: 1n }));
    assertDone(await jettons.deposit());
    const [recipient, relayer] = [somebody(0xa1), somebody(0xa2)];
    const { sent, before, after } = assertDone(await jettons.withdraw({ recipient, relayer, refund: 7n }));
    assert.equal(await jettons.held(recipient), pool.denomination - 50_000_000n);
    assert.equal(await jettons.held(relayer), 50_000_000n);
    assert.ok(after > before);
    const [first] = sent.filter(({ body }) => opOf(body) === opCodes.transfer);
    assert.ok(first.info.type === "internal");
    assert.equal(
      first.info.value.coins > toNano("0.1"),
      times > 1n,
      "the floor is above today's prices alone",
    );
  });
}

Deno.test("a withdrawal with too little for its gas, at every 2,000 of it, changes nothing; with enough all is done", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertDone(await jettons.deposit());
  const data = await pool.data();
  const prices = chainPrices(mainnetConfig());
  const nullifierHash = freshElement();
  const codes = new Set<number>();
  for (let gas = 0n; gas < 140_000n; gas += 2_000n) {
    const outcome = await jettons.withdraw({ nullifierHash, value: prices.gas(gas) + 1n });
    codes.add(outcome.exitCode);
    assert.ok((await pool.data()).equals(data), `with ${gas}`);
    assert.ok(outcome.after >= outcome.before, `with ${gas} the pool paid`);
    assert.equal(await jettons.held(pool.address), pool.denomination);
  }
  assert.ok(codes.has(-14) && codes.has(205) && !codes.has(0), [...codes].join());
  assertDone(await jettons.withdraw({ nullifierHash }));
});

/** A pool that owes storage for so many seconds and has no coin to pay it, and wallets around it that have. */
async function indebted(seconds: number): Promise<JettonSandbox> {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertDone(await jettons.deposit());
  await pool.replace({ balance: 0n });
  pool.chain.now! += seconds;
  for (const to of [jettons.poolWallet, jettons.walletOf(pool.user.address)]) {
    const message = { from: pool.user.address, to, value: toNano("0.3"), bounce: false, body: emptyBody };
    await pool.chain.sendMessage(internal(message));
  }
  return jettons;
}

// A notification does not bounce, so the chain takes what is due of its value: once the jettons were lost by it.
for (const seconds of [90_000_000, 450_000_000, 550_000_000]) {
  Deno.test(`what get_deposit_value says suffices a pool that owes ${seconds} seconds of storage`, async () => {
    const jettons = await indebted(seconds);
    const { pool } = jettons;
    const { balance, account } = await pool.chain.getContract(pool.address);
    assert.ok(account.account!.storageStats.lastPaid < pool.chain.now! && balance === 0n);
    assertDone(await jettons.deposit());
    assert.equal(await jettons.held(pool.address), 2n * pool.denomination);
    for (let i = 0; i < 2; i++) assertDone(await jettons.withdraw());
    assert.equal(await jettons.held(pool.address), 0n);

    const other = await indebted(seconds);
    const held = await other.held(other.pool.user.address);
    const refused = await other.deposit({ amount: other.pool.denomination - 1n });
    assert.deepEqual([refused.exitCode, refused.actionCode], [101, 0]);
    assert.equal(await other.held(other.pool.user.address), held, "the jettons are back");
  });
}
