/**
 * Due storage that the chain has not collected: every message must bring it in addition to its own cost.
 * Otherwise the pool would pay it with the coins of other notes.
 */
import assert from "node:assert/strict";
import { beginCell, toNano } from "@ton/core";
import { exitCodes } from "../../../../src/core/errors/problem.ts";
import { opCodes, storeRetryPayout } from "../../../../src/core/protocol/messages/pool_messages.ts";
import { storeEnqueue } from "../../../../src/core/protocol/v2/messages.ts";
import { chainPrices } from "../../../../testkit/chain/chain_prices.ts";
import { priceLists } from "../../../../testkit/chain/pool_sandbox.ts";
import { manyClaims } from "../../../../testkit/chain/v2/claims.ts";
import { V2JettonSandbox } from "../../../../testkit/chain/v2/jetton_sandbox.ts";
import type { V2Outcome } from "../../../../testkit/chain/v2/sandbox.ts";
import { at } from "../../../support/contracts/claims.ts";
import { assertAccepted, assertLeft } from "../../../support/contracts/v2_assertions.ts";
import {
  depositValue,
  retryValue,
  storageShare,
  transferValue,
} from "../../../support/contracts/v2_jetton_costs.ts";

const prices = chainPrices(priceLists.mainnet);
const [claim] = manyClaims(1);
const IDLE = 10_000_000;

/** Leaves the pool with one nano and a claim, `idle` seconds after its last message. */
async function leaveIdle(sandbox: V2JettonSandbox, idle: number): Promise<void> {
  const state = { deposits: 40, settled: 20, commitment: () => 1n, roots: [5n] };
  await sandbox.setState(state, 1n, [claim]);
  sandbox.pool.chain.now! += idle;
}

/** Returns the storage fees that remain due in the pool's transaction, and those that it paid. */
function storageOf({ tx }: V2Outcome): { due: bigint; paid: bigint } {
  assert.ok(tx.description.type === "generic");
  const { storagePhase } = tx.description;
  return { due: storagePhase?.storageFeesDue ?? 0n, paid: storagePhase?.storageFeesCollected ?? 0n };
}

/** Asserts that a message is accepted with this value and the due storage, and refused with one nano less. */
async function assertLeast(
  sandbox: V2JettonSandbox,
  least: bigint,
  send: (value: bigint) => Promise<V2Outcome>,
): Promise<void> {
  for (const idle of [0, IDLE]) {
    await leaveIdle(sandbox, idle);
    const { due } = storageOf(await send(toNano(2)));
    assert.equal(due > 0n, idle > 0, `${due} due after ${idle} s`);
    await leaveIdle(sandbox, idle);
    assertAccepted(await send(least + due), `${least + due} after ${idle} s`);
    await leaveIdle(sandbox, idle);
    assert.equal((await send(least + due - 1n)).exitCode, exitCodes.ERR_INSUFFICIENT_VALUE);
  }
}

Deno.test("a retry must bring the storage that is due beside its cost, to the nano", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  await assertLeast(sandbox, retryValue(prices), (value) => sandbox.send(storeRetryPayout(claim.id), value));
});

Deno.test("a deposit whose notification bounces must bring the storage that is due, to the nano", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool, jettons } = sandbox;
  const body = beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64)
    .storeCoins(pool.denomination).storeAddress(at(9)).storeMaybeRef(
      storeEnqueue({ queryId: 0n, commitment: 7n }),
    ).endCell();
  await assertLeast(
    sandbox,
    depositValue(prices),
    (value) => sandbox.send(body, value, { from: jettons.poolWallet }),
  );
});

Deno.test("a withdrawal must bring the storage that is due, to the nano; only the rest goes to its transfer", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const one = { recipient: at(1), relayer: null, fee: 0n };
  const withdrawals = [
    (value: bigint) => sandbox.withdraw({ ...one, value }),
    (value: bigint) => sandbox.withdrawMany([one], { value }),
  ];
  for (const send of withdrawals) {
    await leaveIdle(sandbox, 0);
    const value = toNano(1);
    const outcome = assertAccepted(await send(value));
    assertLeft(outcome, storageShare(prices), prices, "the rest of the value goes to the transfer");
    const [{ info }] = outcome.sent;
    assert.ok(info.type === "internal" && outcome.sent.length === 1);
    await assertLeast(sandbox, value - (info.value.coins - transferValue(prices)), send);
  }
});

Deno.test("a settlement without the bounce flag pays the storage that is due, and the rest returns to its sender", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  for (const pending of [0n, toNano(1)]) {
    const state = { deposits: 16, commitment: () => 1n, pending };
    await sandbox.setState(state, 0n);
    sandbox.pool.chain.now! += IDLE;
    const outcome = assertAccepted(await sandbox.settle({ value: toNano("0.5"), bounce: false }));
    const { due, paid } = storageOf(outcome);
    assert.ok(due === 0n && paid > 0n, "the chain took it from the value");
    assertLeft(outcome, paid, prices, "the pool keeps nothing of the value");
  }
});
