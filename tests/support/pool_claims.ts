/** Claims that the contract tests make about a message's outcome, in one place so that every file means the same. */
import assert from "node:assert/strict";
import { type ExitCodeName, exitCodes } from "../../src/core/errors.ts";
import type { Outcome, PoolSandbox } from "./pool_sandbox.ts";

/**
 * The pool refuses what `attempt` sends with this exit code: state and balance are as before to the nano, nothing is
 * logged, and the value comes back less what running and bouncing it cost.
 */
export async function assertRefused(
  pool: PoolSandbox,
  name: ExitCodeName,
  attempt: () => Promise<Outcome>,
): Promise<void> {
  const data = await pool.data();
  const outcome = await attempt();
  assert.equal(outcome.exitCode, exitCodes[name], name);
  assert.ok((await pool.data()).equals(data), "the state is another");
  assert.equal(outcome.after, outcome.before, "the balance is another");
  assert.deepEqual(outcome.logs, []);
  assert.equal(outcome.sent.length, 1);
  const [back] = outcome.sent;
  const came = outcome.tx.inMessage;
  assert.ok(back.info.type === "internal" && came?.info.type === "internal");
  assert.ok(back.info.bounced);
  assert.ok(back.info.dest.equals(came.info.src));
  const fees = outcome.tx.totalFees.coins + back.info.forwardFee;
  assert.ok(
    back.info.value.coins >= came.info.value.coins - fees - 1n,
    "part of the value did not come back",
  );
}

/** The pool keeps a message and its value, less gas and storage, and says and sends nothing. */
export async function assertKept(pool: PoolSandbox, attempt: () => Promise<Outcome>): Promise<void> {
  const data = await pool.data();
  const outcome = await attempt();
  assert.equal(outcome.exitCode, 0);
  assert.ok((await pool.data()).equals(data), "the state is another");
  const came = outcome.tx.inMessage;
  assert.ok(came?.info.type === "internal");
  assert.equal(outcome.after, outcome.before + came.info.value.coins - outcome.tx.totalFees.coins);
  assert.deepEqual([outcome.logs.length, outcome.sent.length], [0, 0]);
}
