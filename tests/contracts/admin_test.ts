/** The owner's messages to a pool: which ones take effect, and that a pool without an owner obeys no one. */
import assert from "node:assert/strict";
import { Address, beginCell, type Cell, toNano } from "@ton/core";
import { storeAdmin, storeRecoverStuck } from "../../testkit/chain/admin_messages.ts";
import { opCodes } from "../../src/core/protocol/messages/pool_messages.ts";
import { mainnetPrices } from "../../src/localnet/mainnet_config.ts";
import { assertRejected } from "../support/contracts/pool_assertions.ts";
import { type Outcome, PoolSandbox } from "../../testkit/chain/pool_sandbox.ts";

const ATTACHED = toNano("0.1");
const heir = Address.parse("0:" + "4e".repeat(32));
const pause = storeAdmin("admin_pause");
const unpause = storeAdmin("admin_unpause");
const sweep = (amount: bigint) => storeRecoverStuck(amount, heir);

function byOwner(pool: PoolSandbox, body: Cell, value = ATTACHED): Promise<Outcome> {
  return pool.send(body, value, { from: pool.owner.address });
}

async function isPaused(pool: PoolSandbox): Promise<boolean> {
  return (await pool.getPoolInfo()).paused;
}

Deno.test("the owner pauses deposits and nothing else, and lets them go on", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  await pool.deposit();
  assert.equal(await isPaused(pool), false);
  assert.equal((await byOwner(pool, pause)).exitCode, 0);
  assert.equal(await isPaused(pool), true);
  await assertRejected(pool, "ERR_PAUSED", () => pool.deposit());
  const paid = await pool.withdraw();
  assert.deepEqual([paid.exitCode, paid.actionCode], [0, 0]);

  assert.equal((await byOwner(pool, pause)).exitCode, 0, "pausing twice is no error");
  assert.equal((await byOwner(pool, unpause)).exitCode, 0);
  assert.equal(await isPaused(pool), false);
  assert.equal((await pool.deposit()).exitCode, 0);
  assert.ok((await pool.getPoolInfo()).owner?.equals(pool.owner.address));
});

Deno.test("pausing changes nothing but the flag: unpaused, the state is what it was", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  await pool.withdraw();
  await pool.deposit();
  const data = await pool.data();
  await byOwner(pool, pause);
  assert.ok(!(await pool.data()).equals(data));
  await byOwner(pool, unpause);
  assert.ok((await pool.data()).equals(data));
});

Deno.test("who is not the owner is refused, whatever admin message it is", async () => {
  const pool = await PoolSandbox.open({ balance: toNano(100) });
  const almost = new Address(-1, pool.owner.address.hash);
  for (const from of [pool.user.address, almost, new Address(0, Buffer.alloc(32))]) {
    for (
      const body of [pause, unpause, sweep(1n), beginCell().storeUint(opCodes.admin_pause, 32).endCell()]
    ) {
      await assertRejected(pool, "ERR_NOT_OWNER", () => pool.send(body, ATTACHED, { from }));
    }
  }
});

Deno.test("a pool whose owner is burned has none: no sender reaches the admin, the null address included", async () => {
  const pool = await PoolSandbox.open({ owner: "burned", balance: toNano(100) });
  assert.equal((await pool.getPoolInfo()).owner, null);
  const senders = [pool.owner.address, pool.user.address, new Address(0, Buffer.alloc(32))];
  for (const from of senders) {
    for (const body of [pause, unpause, sweep(1n)]) {
      await assertRejected(pool, "ERR_NOT_OWNER", () => pool.send(body, ATTACHED, { from }));
    }
  }
});

Deno.test("a malformed admin message of the owner is ERR_MALFORMED", async () => {
  const pool = await PoolSandbox.open({ balance: toNano(100) });
  const longer = (body: Cell) => beginCell().storeSlice(body.beginParse()).storeBit(0).endCell();
  const deeper = (body: Cell) =>
    beginCell().storeSlice(body.beginParse()).storeRef(beginCell().endCell()).endCell();
  const shorter = (body: Cell) =>
    beginCell().storeBits(body.bits.substring(0, body.bits.length - 1)).endCell();
  for (const body of [pause, unpause, sweep(1n)]) {
    for (const spoil of [longer, deeper, shorter]) {
      await assertRejected(pool, "ERR_MALFORMED", () => byOwner(pool, spoil(body)));
    }
  }
  const nowhere = beginCell().storeUint(opCodes.admin_recover_stuck, 32).storeUint(0, 64).storeCoins(1)
    .storeUint(0, 2).endCell();
  await assertRejected(pool, "ERR_MALFORMED", () => byOwner(pool, nowhere));
});

Deno.test("surplus can be swept to the nano, and not a nano of what notes and the pool's life need", async () => {
  const pool = await PoolSandbox.open();
  for (let i = 0; i < 3; i++) await pool.deposit();
  await pool.withdraw();
  const { debt } = await pool.getPoolInfo();
  assert.ok(debt > 0n);
  const RESERVE = toNano("2.5");
  const owed = 2n * pool.denomination + debt + RESERVE;
  await pool.setState({ balance: owed });
  await assertRejected(pool, "ERR_NOT_SURPLUS", () => byOwner(pool, sweep(1n)));

  const surplus = toNano("7.000000001");
  await pool.setState({ balance: owed + surplus });
  await assertRejected(pool, "ERR_NOT_SURPLUS", () => byOwner(pool, sweep(surplus + 1n)));
  await assertRejected(pool, "ERR_NOT_SURPLUS", () => byOwner(pool, sweep(2n ** 120n - 1n)));
  // The value of the sweep itself is not a surplus yet.
  await assertRejected(pool, "ERR_NOT_SURPLUS", () => byOwner(pool, sweep(surplus + toNano(1)), toNano(2)));

  const swept = await byOwner(pool, sweep(surplus));
  assert.deepEqual([swept.exitCode, swept.actionCode], [0, 0]);
  const [message] = swept.sent;
  assert.ok(message.info.type === "internal" && message.info.dest.equals(heir));
  assert.equal((await pool.chain.getContract(heir)).balance, surplus - mainnetPrices.forward.lumpPrice);
  assert.ok(swept.balanceAfter >= owed, "notes and reserve are whole");
  await assertRejected(pool, "ERR_NOT_SURPLUS", () => byOwner(pool, sweep(toNano(1))));

  for (let i = 0; i < 2; i++) assert.deepEqual((await pool.withdraw()).exitCode, 0);
});

Deno.test("a sweep that cannot be sent changes nothing", async () => {
  const pool = await PoolSandbox.open({ balance: toNano(100) });
  const data = await pool.data();
  const nowhere = storeRecoverStuck(toNano(1), new Address(5, heir.hash));
  const { balanceAfter: after, balanceBefore: before, actionCode, exitCode, sent } = await byOwner(
    pool,
    nowhere,
  );
  assert.ok(exitCode !== 0 || actionCode !== 0);
  assert.ok((await pool.data()).equals(data));
  assert.equal(after, before);
  assert.ok(sent.every(({ info }) => info.type === "internal" && info.bounced));
});

Deno.test("an owner cannot stop or shorten a withdrawal by any message", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  await byOwner(pool, pause);
  for (const amount of [1n, pool.denomination, 2n * pool.denomination]) await byOwner(pool, sweep(amount));
  const recipient = heir;
  const { exitCode } = await pool.withdraw({ recipient, fee: 0n });
  assert.equal(exitCode, 0);
  assert.equal((await pool.chain.getContract(recipient)).balance, pool.denomination);
});
