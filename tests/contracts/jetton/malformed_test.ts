/**
 * Malformed messages to a jetton pool, bounced messages, and the limits of what it accepts: the last leaf, a
 * payload's layout.
 */
import assert from "node:assert/strict";
import { Address, beginCell, type Builder, Cell, toNano } from "@ton/core";
import { exitCodes } from "../../../src/core/errors/problem.ts";
import { POOL_CAPACITY } from "../../../src/core/protocol/pool_constants.ts";
import { opCodes, storeDiscoverJettonWallet } from "../../../src/core/protocol/messages/pool_messages.ts";
import { assertJettonsReturned, assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import {
  alterCell,
  libraryReference,
  malformedWithdrawals,
  offerLibraries,
} from "../../support/contracts/malformed_bodies.ts";
import { assertRejected, assertValueKept } from "../../support/contracts/pool_assertions.ts";
import { FEE, thief } from "../../support/contracts/jetton_attacks.ts";

Deno.test("a jetton pool keeps the value of every bounced message, of any content and from any sender", async () => {
  const jettons = await JettonSandbox.open({ discovered: false });
  const { pool } = jettons;
  await assertAllKept();
  assertSucceeded(await pool.send(storeDiscoverJettonWallet(), toNano("0.2")));
  assertSucceeded(await jettons.deposit());
  await assertAllKept();
  assertSucceeded(await jettons.withdraw());

  async function assertAllKept() {
    const notification = beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64)
      .storeCoins(pool.denomination).storeAddress(pool.user.address)
      .storeMaybeRef(await pool.depositBody()).endCell();
    const answer = beginCell().storeUint(opCodes.take_wallet_address, 32).storeUint(0, 64)
      .storeAddress(thief).storeMaybeRef(null).endCell();
    const transfer = beginCell().storeUint(opCodes.transfer, 32).storeUint(0, 64).endCell();
    const bodies = [notification, answer, transfer, pool.withdrawBody(), storeDiscoverJettonWallet()];
    for (const from of [jettons.poolWallet, jettons.minter.address, pool.owner.address]) {
      for (const body of bodies) {
        const echo = beginCell().storeUint(0xffffffff, 32).storeBits(body.bits.substring(0, 96)).endCell();
        for (const output of [echo, body]) {
          await assertValueKept(
            pool,
            () => pool.send(output, toNano(1), { from, bounced: true, bounce: false }),
          );
        }
      }
    }
  }
});

Deno.test("a recipient that refuses its refund, or has no code, keeps it: no payout comes back", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  const recipient = jettons.minter.address; // throws at every message that it does not know
  const before = (await pool.chain.getContract(recipient)).balance;
  const outcome = assertSucceeded(await jettons.withdraw({ recipient, refund: toNano(2) }));
  assert.equal(await jettons.balanceOf(recipient), pool.denomination - FEE);
  assert.ok((await pool.chain.getContract(recipient)).balance > before + toNano("1.9"));
  const back = outcome.transactions.slice(1).filter(({ inMessage }) =>
    inMessage?.info.dest?.toString() === pool.address.toString()
  );
  assert.equal(back.length, 0);
});

Deno.test("a malformed withdrawal of jettons is ERR_MALFORMED: extra bits and references, exotic cells, odd addresses", async (t) => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  const body = pool.withdrawBody();
  offerLibraries(pool, body);
  for (const [claim, cell] of malformedWithdrawals(body)) {
    await t.step(claim, () => assertRejected(pool, "ERR_MALFORMED", () => pool.send(cell, toNano(1))));
  }
});

Deno.test("a deposit whose proof, or which itself, is an exotic cell is returned", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  const body = await pool.depositBody();
  const { libs } = pool.chain;
  offerLibraries(pool, beginCell().storeRef(body).storeRef(body.refs[0]).endCell());
  for (
    const payload of [libraryReference(body), alterCell(body, { refs: [libraryReference(body.refs[0])] })]
  ) {
    await assertJettonsReturned(jettons, "ERR_MALFORMED", () => jettons.deposit({ payload }));
  }
  pool.chain.libs = libs;
  assertSucceeded(await jettons.deposit({ payload: Cell.fromBoc(body.toBoc())[0] }));
});

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
