/** Where a jetton pool's acceptance ends: its last leaf, and the exact layout of a notification's payload. */
import assert from "node:assert/strict";
import { Address, beginCell, type Builder, toNano } from "@ton/core";
import { exitCodes } from "../../../src/core/errors/problem.ts";
import { POOL_CAPACITY } from "../../../src/core/protocol/pool_constants.ts";
import { opCodes } from "../../../src/core/protocol/messages/pool_messages.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";

Deno.test("a pool accepts deposits up to its capacity, and returns the next one", async () => {
  const jettons = await JettonSandbox.open();
  await jettons.setState({ deposits: POOL_CAPACITY - 1 });
  assert.equal((await jettons.deposit()).exitCode, 0);
  assert.equal((await jettons.pool.getPoolInfo()).deposits, POOL_CAPACITY);
  assert.equal((await jettons.deposit()).exitCode, exitCodes.ERR_POOL_FULL);
});

Deno.test("a deposit is the whole of a notification's payload: one bit and one reference", async () => {
  const jettons = await JettonSandbox.open();
  const { pool, poolWallet } = jettons;
  const deposit = await pool.depositBody();
  const notify = async (payload: (builder: Builder) => Builder) => {
    const head = beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64)
      .storeCoins(pool.denomination).storeAddress(new Address(0, Buffer.alloc(32, 9)));
    return (await pool.send(payload(head).endCell(), toNano(1), { from: poolWallet, bounce: false }))
      .exitCode;
  };
  await jettons.mint(pool.address, 10n * pool.denomination);
  const malformed = exitCodes.ERR_MALFORMED;
  assert.equal(await notify((head) => head.storeUint(0b11, 2).storeRef(deposit)), malformed);
  assert.equal(await notify((head) => head.storeRef(deposit)), malformed);
  assert.equal(await notify((head) => head.storeBit(0).storeRef(deposit)), malformed);
  assert.equal(await notify((head) => head.storeBit(1).storeRef(deposit).storeRef(deposit)), malformed);
  assert.equal(await notify((head) => head.storeBit(1)), malformed);
  assert.equal(await notify((head) => head.storeBit(1).storeRef(deposit)), 0);
});
