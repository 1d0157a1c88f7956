/** Messages to a pool that are neither deposits nor withdrawals, and messages that bounce back to it. */
import assert from "node:assert/strict";
import { Address, beginCell, Cell, external, toNano } from "@ton/core";
import { createShardAccount } from "@ton/sandbox";
import { exitCodes } from "../../../src/core/errors/problem.ts";
import { opCodes } from "../../../src/core/protocol/messages/pool_messages.ts";
import { mainnetConfig } from "../../../src/localnet/mainnet_config.ts";
import { compileUnchanged } from "../../../testkit/chain/compiled_contracts.ts";
import {
  configWithClosedBasechain,
  RESULT_UNREACHABLE_WORKCHAIN,
} from "../../support/contracts/network_configs.ts";
import { assertValueKept } from "../../support/contracts/pool_assertions.ts";
import { freshElement, PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";

/** The exit code of TVM itself, which no handler can catch. */
const OUT_OF_GAS = -14;

const op = (code: number, ...words: bigint[]): Cell =>
  words.reduce((body, word) => body.storeUint(word, 64), beginCell().storeUint(code, 32)).endCell();

const kept: [claim: string, body: Cell][] = [
  ["no body", beginCell().endCell()],
  ["a single bit", beginCell().storeBit(1).endCell()],
  ["31 bits of an op", beginCell().storeUint(opCodes.withdraw >> 1, 31).endCell()],
  ["a text comment", beginCell().storeUint(0, 32).storeStringTail("for the notes").endCell()],
  ["an unknown op", op(0xdeadbeef, 1n)],
  ["excesses", op(0xd53276db, 1n)],
  ["a notification by a jetton wallet", op(opCodes.transfer_notification, 1n, 2n)],
  ["the discovery of a jetton wallet", op(opCodes.discover_jetton_wallet, 1n)],
  ["a jetton wallet's address", op(0xd1735400, 1n)],
  ["an op with its top bit set", op(opCodes.deposit + 0x80000000, 1n)],
];

Deno.test("what a pool does not know it keeps, and stays as it is", async (t) => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  for (const [claim, body] of kept) {
    await t.step(claim, async () => {
      await assertValueKept(pool, () => pool.send(body, toNano(1)));
      await assertValueKept(pool, () => pool.send(body, toNano(1), { bounce: false }));
    });
  }
  await t.step("even for exactly the denomination, which is not a deposit then", async () => {
    await assertValueKept(pool, () => pool.send(beginCell().endCell(), pool.denomination));
  });
});

Deno.test("the pool keeps the value of every bounced message", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  const bodies = [await pool.depositBody(), pool.withdrawBody(), op(opCodes.admin_pause, 0n)];
  for (const body of bodies) {
    const echo = beginCell().storeUint(0xffffffff, 32).storeBits(body.bits.substring(0, 96)).endCell();
    for (const from of [pool.user.address, pool.owner.address]) {
      await assertValueKept(pool, () => pool.send(echo, pool.denomination, { from, bounced: true }));
      await assertValueKept(pool, () => pool.send(body, pool.denomination, { from, bounced: true }));
    }
  }
});

Deno.test("no external message is accepted", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  const data = await pool.data();
  for (const body of [beginCell().endCell(), pool.withdrawBody(), await pool.depositBody()]) {
    await assert.rejects(() => pool.chain.sendMessage(external({ to: pool.address, body })));
  }
  assert.ok((await pool.data()).equals(data));
});

Deno.test("too little value for the gas leaves everything as it was and bounces, at every step of gas", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  const nullifierHash = freshElement();
  const body = pool.withdrawBody({ nullifierHash });
  const price = 4_369_067n;
  const seen = new Set<number>();
  for (let gas = 1_000n; gas < 400_000n; gas += 7_000n) {
    const data = await pool.data();
    const outcome = await pool.send(body, gas * price >> 16n);
    seen.add(outcome.exitCode);
    if (outcome.exitCode === 0) break;
    assert.ok((await pool.data()).equals(data));
    assert.ok(outcome.balanceAfter >= outcome.balanceBefore);
    assert.deepEqual(outcome.logs, []);
    assert.ok(outcome.sent.every(({ info }) => info.type === "internal" && info.bounced));
  }
  // First the gas runs out, then it is too little to be safe. The pool never executes half a withdrawal.
  assert.deepEqual([...seen].filter((code) => code !== 0), [OUT_OF_GAS, exitCodes.ERR_INSUFFICIENT_VALUE]);
  assert.equal((await pool.get("getIsSpent", nullifierHash)).readBoolean(), false);
});

Deno.test("payouts do not come back: a wallet without state and a contract that refuses keep theirs", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  await pool.deposit();
  const [refusing, nobody, stranger] = [address("aa"), address("bb"), address("cc")];
  const code = await compileUnchanged("refusing.tolk", { "refusing.tolk": REFUSING });
  await pool.chain.setShardAccount(
    refusing,
    createShardAccount({ address: refusing, code, data: Cell.EMPTY, balance: toNano(1) }),
  );
  const fee = toNano("0.5");

  const first = await pool.withdraw({ recipient: refusing, relayer: nobody, fee });
  assert.equal(await balance(pool, nobody), fee);
  assert.ok(await balance(pool, refusing) > toNano(1) + pool.denomination - 2n * fee);
  const second = await pool.withdraw({ recipient: stranger, relayer: refusing, fee });
  assert.equal(await balance(pool, stranger), pool.denomination - fee);
  for (const { transactions } of [first, second]) {
    // The pool sends to the recipient, the relayer and the sender (the excess), and none of them replies.
    assert.equal(transactions.length, 4);
    assert.ok(transactions.slice(1).every(({ outMessagesCount }) => outMessagesCount === 0));
  }
});

Deno.test("a payout that cannot be sent undoes the withdrawal: its value comes back, the note stays unspent", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  const nullifierHash = freshElement();
  // The sender is on the masterchain and reachable. First the recipient is unreachable, then only the
  // relayer.
  const here = address("dd");
  const there = new Address(-1, here.hash);
  pool.chain.setConfig(configWithClosedBasechain());
  for (const payees of [{ recipient: here, relayer: there }, { recipient: there, relayer: here }]) {
    const data = await pool.data();
    const { exitCode, actionCode, balanceBefore: before, balanceAfter: after, sent, logs } = await pool
      .withdraw({
        nullifierHash,
        from: there,
        ...payees,
      });
    assert.deepEqual([exitCode, actionCode], [0, RESULT_UNREACHABLE_WORKCHAIN]);
    assert.ok((await pool.data()).equals(data));
    assert.equal(after, before);
    assert.deepEqual(logs, []);
    assert.ok(sent.length === 1 && sent[0].info.type === "internal" && sent[0].info.bounced);
  }
  pool.chain.setConfig(mainnetConfig());
  assert.equal((await pool.withdraw({ nullifierHash, recipient: here })).actionCode, 0);
});

const REFUSING = `tolk 1.3
fun onInternalMessage(_: InMessage) { throw 77; }
`;

function address(byte: string): Address {
  return Address.parse("0:" + byte.repeat(32));
}

async function balance(pool: PoolSandbox, address: Address): Promise<bigint> {
  return (await pool.chain.getContract(address)).balance;
}
