/** Assertions that several contract tests use. */
import assert from "node:assert/strict";
import { type ExitCodeName, exitCodes } from "../../../src/core/errors/problem.ts";
import { loadDepositRefusal } from "../../../src/core/protocol/messages/jetton_messages.ts";
import { opCodes } from "../../../src/core/protocol/messages/pool_messages.ts";
import { opCodeOf } from "../../../testkit/chain/jetton_sandbox.ts";
import type { Outcome, PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";

/**
 * Asserts that the pool rejects the messages of `attempt`: state and balance do not change by a nano, it logs
 * nothing, and the value returns less the cost of execution and of the return message. The pool itself
 * returns deposits with the exit code; all other messages bounce.
 */
export async function assertRejected(
  pool: PoolSandbox,
  name: ExitCodeName,
  attempt: () => Promise<Outcome>,
): Promise<void> {
  const data = await pool.data();
  const outcome = await attempt();
  assert.equal(outcome.exitCode, exitCodes[name], name);
  assert.ok((await pool.data()).equals(data), "the state is another");
  assert.equal(outcome.balanceAfter, outcome.balanceBefore, "the balance is another");
  assert.deepEqual(outcome.logs, []);
  assert.equal(outcome.sent.length, 1);
  const [back] = outcome.sent;
  const came = outcome.tx.inMessage;
  assert.ok(back.info.type === "internal" && came?.info.type === "internal");
  const isDeposit = opCodeOf(came.body) === opCodes.deposit;
  assert.equal(back.info.bounced, !isDeposit);
  if (isDeposit) assert.equal(loadDepositRefusal(back.body), name);
  assert.ok(back.info.dest.equals(came.info.src));
  const fees = outcome.tx.totalFees.coins + back.info.forwardFee;
  assert.ok(
    back.info.value.coins >= came.info.value.coins - fees - 1n,
    "part of the value did not come back",
  );
}

/** Asserts that the pool keeps a message's value, less gas and storage, and sends and logs nothing. */
export async function assertValueKept(pool: PoolSandbox, attempt: () => Promise<Outcome>): Promise<void> {
  const data = await pool.data();
  const outcome = await attempt();
  assert.equal(outcome.exitCode, 0);
  assert.ok((await pool.data()).equals(data), "the state is another");
  const came = outcome.tx.inMessage;
  assert.ok(came?.info.type === "internal");
  assert.equal(
    outcome.balanceAfter,
    outcome.balanceBefore + came.info.value.coins - outcome.tx.totalFees.coins,
  );
  assert.deepEqual([outcome.logs.length, outcome.sent.length], [0, 0]);
}
