/** Deposits that a version 2 pool cannot read, and how they return. */
import assert from "node:assert/strict";
import { beginCell, Cell, Dictionary, type Message } from "@ton/core";
import { internal } from "@ton/sandbox";
import { FIELD_MODULUS } from "../../../../src/core/crypto/field.ts";
import { type ExitCodeName, exitCodes } from "../../../../src/core/errors/problem.ts";
import { depositComment, storeEnqueue } from "../../../../src/core/protocol/v2/messages.ts";
import { commentBody, V2Sandbox, withV2Logs } from "../../../../testkit/chain/v2/sandbox.ts";
import {
  assertAccepted,
  assertDepositReturned,
  assertStateMirrored,
} from "../../../support/contracts/v2_assertions.ts";

/** The op of an encrypted comment in TON's wallets. */
const ENCRYPTED_COMMENT = 0x2167da4b;

Deno.test("a comment wholly in a reference comes back; an encrypted one does with the exact amount, and is a donation otherwise", async () => {
  const sandbox = await V2Sandbox.open();
  const { user: { address }, denomination } = sandbox.pool;
  const text = beginCell().storeStringTail(depositComment(5n)).endCell();
  const inReference = beginCell().storeUint(0, 32).storeRef(text).endCell();
  for (const value of [denomination, denomination - 1n]) {
    await assertDepositReturned(sandbox, "ERR_MALFORMED", address, () => sandbox.send(inReference, value));
  }
  const encrypted = beginCell().storeUint(ENCRYPTED_COMMENT, 32).storeBuffer(Buffer.alloc(96, 7)).endCell();
  const send = (value: bigint) => sandbox.send(encrypted, value);
  await assertDepositReturned(sandbox, "ERR_MALFORMED", address, () => send(denomination));
  const { sent } = assertAccepted(await send(denomination + 1n));
  assert.deepEqual([sent.length, sandbox.commitments.length], [0, 0]);
  await assertStateMirrored(sandbox);
});

Deno.test("a refused deposit with a StateInit comes back", async () => {
  const sandbox = await V2Sandbox.open();
  const { user, address, denomination } = sandbox.pool;
  const stateInit = { code: Cell.EMPTY, data: Cell.EMPTY };
  const refused: [ExitCodeName, Cell, bigint][] = [
    ["ERR_WRONG_DENOMINATION", storeEnqueue({ queryId: 0n, commitment: 1n }), denomination - 1n],
    ["ERR_MALFORMED", commentBody("hello"), denomination],
  ];
  for (const [code, body, value] of refused) {
    const message = internal({ from: user.address, to: address, value, bounce: false, stateInit, body });
    const attempt = async () => withV2Logs(await sandbox.pool.deliver(message));
    await assertDepositReturned(sandbox, code, user.address, attempt);
  }
});

function withExtraCurrencies({ pool }: V2Sandbox, body: Cell): Message {
  const other = Dictionary.empty(Dictionary.Keys.Uint(32), Dictionary.Values.BigVarUint(5)).set(7, 100n);
  const coins = pool.denomination;
  const message = internal({ from: pool.user.address, to: pool.address, value: coins, bounce: true, body });
  assert.ok(message.info.type === "internal");
  return { ...message, info: { ...message.info, value: { coins, other } } };
}

Deno.test("a refused deposit with extra currencies is thrown, not committed: it bounces with them", async () => {
  const sandbox = await V2Sandbox.open();
  const outsideField = storeEnqueue({ queryId: 0n, commitment: FIELD_MODULUS });
  for (const body of [outsideField, commentBody("hello"), Cell.EMPTY]) {
    const outcome = await sandbox.pool.deliver(withExtraCurrencies(sandbox, body));
    assert.ok(
      [exitCodes.ERR_NOT_IN_FIELD, exitCodes.ERR_MALFORMED].some((code) => code === outcome.exitCode),
    );
    const [{ info }] = outcome.sent;
    assert.ok(outcome.sent.length === 1 && info.type === "internal" && info.bounced);
    assert.equal(info.value.other?.get(7), 100n);
  }
});

Deno.test("an accepted deposit loses the extra currencies that come with it: the pool keeps them", async () => {
  const sandbox = await V2Sandbox.open();
  const { pool } = sandbox;
  const body = storeEnqueue({ queryId: 0n, commitment: 5n });
  const { exitCode, sent } = await pool.deliver(withExtraCurrencies(sandbox, body));
  assert.deepEqual([exitCode, sent.length, await pool.nextIndex()], [0, 0, 1]);
  const { account } = (await pool.chain.getContract(pool.address)).account;
  assert.equal(account?.storage.balance.other?.get(7), 100n);
});
