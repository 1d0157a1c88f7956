/** Claims that the jetton pool's tests make about an outcome, in one place so that every file means the same. */
import assert from "node:assert/strict";
import { type ExitCodeName, exitCodes } from "../../src/core/errors.ts";
import { loadDepositRefused } from "../../src/core/jetton_messages.ts";
import { opCodes } from "../../src/core/messages.ts";
import { type JettonSandbox, noticesTo, opOf } from "./jetton_sandbox.ts";
import type { Outcome } from "./pool_sandbox.ts";

/**
 * The pool gives a deposit's jettons back with this code: its state and its coins are as before to the nano, nothing is
 * logged, the depositor holds what it held and is told why, and gets what is left of the value.
 */
export async function assertReturned(
  jettons: JettonSandbox,
  name: ExitCodeName,
  attempt: () => Promise<Outcome>,
): Promise<void> {
  const { pool } = jettons;
  const { address: user } = pool.user;
  const [data, held, pooled] = [
    await pool.data(),
    await jettons.held(user),
    await jettons.held(pool.address),
  ];
  const outcome = await attempt();
  assert.equal(outcome.exitCode, exitCodes[name], name);
  assert.equal(outcome.actionCode, 0, name);
  assert.ok((await pool.data()).equals(data), "the state is another");
  assert.equal(outcome.after, outcome.before, "the pool's coins are others");
  assert.deepEqual(outcome.logs, []);
  assert.equal(await jettons.held(pool.address), pooled, "jettons stayed in the pool");
  assert.equal(await jettons.held(user), held, "jettons are missing");
  const notices = noticesTo(outcome, user);
  assert.deepEqual(notices.map(({ forwardPayload }) => loadDepositRefused(forwardPayload)), [name]);
  const [{ queryId, sender }] = notices;
  assert.equal(queryId, outcome.tx.inMessage!.body.beginParse().skip(32).loadUintBig(64), "another query id");
  assert.ok(sender?.equals(pool.address));

  // What came with the notification went on with the jettons, less the gas and the way of it.
  const [back] = outcome.sent;
  const came = outcome.tx.inMessage;
  assert.ok(outcome.sent.length === 1 && back.info.type === "internal" && came?.info.type === "internal");
  const fees = outcome.tx.totalFees.coins + back.info.forwardFee;
  assert.equal(back.info.value.coins, came.info.value.coins - fees);
  const rest = outcome.transactions.map(({ inMessage }) => inMessage).filter((message) =>
    message && opOf(message.body) === opCodes.excesses && message.info.dest?.toString() === user.toString()
  );
  assert.equal(rest.length, 2, "what is left did not come back from both transfers");
}

/** A message was accepted, and all of its actions done. */
export function assertDone<T extends Outcome>(outcome: T, what = ""): T {
  assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0], what);
  return outcome;
}
