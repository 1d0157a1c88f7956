/** Assertions that several tests of the jetton pool use. */
import assert from "node:assert/strict";
import { type ExitCodeName, exitCodes } from "../../../src/core/errors/problem.ts";
import { loadDepositRefusal } from "../../../src/core/protocol/messages/jetton_messages.ts";
import { opCodes } from "../../../src/core/protocol/messages/pool_messages.ts";
import {
  type JettonSandbox,
  opCodeOf,
  transferNotificationsTo,
} from "../../../testkit/chain/jetton_sandbox.ts";
import type { Outcome } from "../../../testkit/chain/pool_sandbox.ts";

/**
 * Asserts that the pool returns a deposit's jettons with this code: its state and coins do not change by a
 * nano, it logs nothing, and the depositor receives the jettons, the reason and the unused value.
 */
export async function assertJettonsReturned(
  jettons: JettonSandbox,
  name: ExitCodeName,
  attempt: () => Promise<Outcome>,
): Promise<void> {
  const { pool } = jettons;
  const { address: user } = pool.user;
  const [data, held, pooled] = [
    await pool.data(),
    await jettons.balanceOf(user),
    await jettons.balanceOf(pool.address),
  ];
  const outcome = await attempt();
  assert.equal(outcome.exitCode, exitCodes[name], name);
  assert.equal(outcome.actionCode, 0, name);
  assert.ok((await pool.data()).equals(data), "the state is another");
  assert.equal(outcome.balanceAfter, outcome.balanceBefore, "the pool's coins are others");
  assert.deepEqual(outcome.logs, []);
  assert.equal(await jettons.balanceOf(pool.address), pooled, "jettons stayed in the pool");
  assert.equal(await jettons.balanceOf(user), held, "jettons are missing");
  const notices = transferNotificationsTo(outcome, user);
  assert.deepEqual(notices.map(({ forwardPayload }) => loadDepositRefusal(forwardPayload)), [name]);
  const [{ queryId, sender }] = notices;
  assert.equal(queryId, outcome.tx.inMessage!.body.beginParse().skip(32).loadUintBig(64), "another query id");
  assert.ok(sender?.equals(pool.address));

  // The notification's value was forwarded with the jettons, less gas and forward fees.
  const [back] = outcome.sent;
  const came = outcome.tx.inMessage;
  assert.ok(outcome.sent.length === 1 && back.info.type === "internal" && came?.info.type === "internal");
  const fees = outcome.tx.totalFees.coins + back.info.forwardFee;
  assert.equal(back.info.value.coins, came.info.value.coins - fees);
  const rest = outcome.transactions.map(({ inMessage }) => inMessage).filter((message) =>
    message && opCodeOf(message.body) === opCodes.excesses &&
    message.info.dest?.toString() === user.toString()
  );
  assert.equal(rest.length, 2, "what is left did not come back from both transfers");
}

/** Asserts that a message was accepted and all of its actions were executed. */
export function assertSucceeded<T extends Outcome>(outcome: T, what = ""): T {
  assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0], what);
  return outcome;
}
