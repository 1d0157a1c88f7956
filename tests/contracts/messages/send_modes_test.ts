/** A pool cannot see the mode that a sender used. It judges the value that arrives, and never loses a nano to any mode. */
import assert from "node:assert/strict";
import { Address, type Cell, SendMode, toNano } from "@ton/core";
import { exitCodes } from "../../../src/core/errors/problem.ts";
import { storeRetryPayout } from "../../../src/core/protocol/messages/pool_messages.ts";
import { type JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import { freshElement, PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";
import { withClaims } from "../../support/contracts/claims.ts";

const { PAY_GAS_SEPARATELY, IGNORE_ERRORS, CARRY_ALL_REMAINING_BALANCE, DESTROY_ACCOUNT_IF_ZERO } = SendMode;
const { CARRY_ALL_REMAINING_INCOMING_VALUE } = SendMode;
const BOUNCE_ON_ACTION_FAIL = 16;
const MODES: [what: string, mode: number][] = [
  ["fees out of the value", 0],
  ["fees paid separately", PAY_GAS_SEPARATELY],
  ["errors ignored", IGNORE_ERRORS],
  ["fees paid separately, errors ignored", PAY_GAS_SEPARATELY | IGNORE_ERRORS],
  ["fees paid separately, bounce on action failure", PAY_GAS_SEPARATELY | BOUNCE_ON_ACTION_FAIL],
  ["the remaining value added", CARRY_ALL_REMAINING_INCOMING_VALUE],
  ["all of the balance", CARRY_ALL_REMAINING_BALANCE],
  ["all of the balance, errors ignored", CARRY_ALL_REMAINING_BALANCE | IGNORE_ERRORS],
  ["all of the balance, the sender destroyed", CARRY_ALL_REMAINING_BALANCE | DESTROY_ACCOUNT_IF_ZERO],
];

/** Sends from a new account in the mode. Returns what happened at the pool, and what the sender lost. */
async function send(pool: PoolSandbox, body: Cell, value: bigint, mode: number) {
  const sender = await pool.chain.treasury(`sender ${freshElement()}`);
  const [before, held] = [await pool.balance(), await sender.getBalance()];
  const { transactions } = await sender.send({ to: pool.address, value, body, bounce: true, sendMode: mode });
  const account = BigInt(`0x${pool.address.hash.toString("hex")}`);
  const tx = transactions.find(({ address }) => address === account)!;
  assert.ok(tx.inMessage?.info.type === "internal" && tx.description.type === "generic");
  const { computePhase } = tx.description;
  assert.ok(computePhase.type === "vm");
  return {
    arrived: tx.inMessage.info.value.coins,
    exitCode: computePhase.exitCode,
    gained: await pool.balance() - before,
    lost: held - await sender.getBalance(),
  };
}

async function assertWithdrawals(pool: PoolSandbox, what: string, mode: number): Promise<void> {
  const value = await pool.withdrawValue();
  const recipient = new Address(0, Buffer.from(freshElement().toString(16).padStart(64, "0"), "hex"));
  const honest = pool.withdrawBody({ recipient, relayer: null, fee: 0n });
  const forged = pool.withdrawBody({ signals: [1n, 2n, 3n, 4n, 5n, 6n] });
  const refused = await send(pool, forged, value, mode);
  assert.deepEqual([refused.exitCode, refused.gained], [exitCodes.ERR_PROOF_INVALID, 0n], what);
  const paid = await send(pool, honest, value, mode);
  assert.equal(paid.exitCode, 0, what);
  assert.ok(paid.lost < value + toNano("0.02"), `${what}: what exceeds the cost did not return`);
}

for (const [what, mode] of MODES) {
  Deno.test(`a native pool receives deposits and withdrawals sent with ${what}`, async () => {
    const pool = await PoolSandbox.open();
    await pool.deposit();
    const newRoot = freshElement();
    const { arrived, exitCode, gained, lost } = await send(
      pool,
      await pool.depositBody({ newRoot }),
      pool.denomination,
      mode,
    );
    if (arrived === pool.denomination) {
      assert.deepEqual([exitCode, mode & PAY_GAS_SEPARATELY], [0, PAY_GAS_SEPARATELY]);
      pool.roots.push(newRoot);
    } else {
      assert.deepEqual(
        [exitCode, gained],
        [exitCodes.ERR_WRONG_DENOMINATION, 0n],
        "the pool kept or lost coins",
      );
      assert.ok(lost < toNano("0.02"), `the sender lost ${lost}`);
    }
    const before = await pool.balance();
    await assertWithdrawals(pool, what, mode);
    assert.ok(before - await pool.balance() < pool.denomination, "the pool paid more than the note");
  });

  Deno.test(`a jetton pool receives withdrawals, retries and coins sent with ${what}`, async () => {
    const jettons: JettonSandbox = await withClaims(2);
    const { pool } = jettons;
    await jettons.mint(pool.address, pool.denomination * 3n);
    await jettons.deposit();
    const before = await pool.balance();
    await assertWithdrawals(pool, what, mode);
    const coins = await send(pool, await pool.depositBody(), toNano(1), mode);
    assert.deepEqual([coins.exitCode, coins.gained], [exitCodes.ERR_NOT_JETTON_WALLET, 0n]);
    const unknown = await send(pool, storeRetryPayout(7n), toNano("0.3"), mode);
    assert.deepEqual([unknown.exitCode, unknown.gained], [exitCodes.ERR_UNKNOWN_CLAIM, 0n]);
    const retried = await send(pool, storeRetryPayout(1_000_003n), toNano("0.3"), mode);
    assert.equal(retried.exitCode, 0);
    assert.ok(retried.gained >= 0n, "a retry took coins of the pool");
    assert.ok(retried.lost < toNano("0.2"), "what exceeds the cost did not return");
    assert.equal((await pool.getPoolInfo()).claims, 1);
    assert.ok(await pool.balance() > before);
  });
}
