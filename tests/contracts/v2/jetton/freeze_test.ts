/** A version 2 jetton pool that did not pay for its storage: frozen by the chain, thawed by a contract's message. */
import assert from "node:assert/strict";
import {
  beginCell,
  type Cell,
  contractAddress,
  internal as relaxed,
  storeMessageRelaxed,
  toNano,
} from "@ton/core";
import { createShardAccount, internal } from "@ton/sandbox";
import { storeRetryPayout } from "../../../../src/core/protocol/messages/pool_messages.ts";
import { MAX_MESSAGE_BITS, MAX_MESSAGE_CELLS } from "../../../../src/ops/rescue/rescue_plan.ts";
import { storageSize } from "../../../../src/ton/account_storage.ts";
import { compileCached } from "../../../../testkit/chain/compiled_contracts.ts";
import { emptyBody } from "../../../../testkit/chain/pool_sandbox.ts";
import { manyClaims } from "../../../../testkit/chain/v2/claims.ts";
import { fullPool } from "../../../../testkit/chain/v2/full_pool.ts";
import { V2JettonSandbox, v2TrapdoorJettonCode } from "../../../../testkit/chain/v2/jetton_sandbox.ts";
import { assertAccepted } from "../../../support/contracts/v2_assertions.ts";

const YEAR = 31_557_600;
const CLAIMS = 3;

const stateOf = async ({ pool }: V2JettonSandbox) =>
  (await pool.chain.getContract(pool.address)).accountState?.type;

/** Sends the pool's state to it through a contract, because the chain limits what contracts send. */
async function thaw({ pool }: V2JettonSandbox, init: { code: Cell; data: Cell }, value: bigint) {
  const code = await compileCached("testkit/chain/v2/message_sender.tolk");
  const message = relaxed({ to: pool.address, value: 0n, bounce: false, init });
  const data = beginCell().store(storeMessageRelaxed(message)).endCell();
  const address = contractAddress(0, { code, data });
  await pool.chain.setShardAccount(address, createShardAccount({ address, code, data, balance: toNano(1) }));
  const trigger = internal({ from: pool.user.address, to: address, value, bounce: false, body: emptyBody });
  await pool.chain.sendMessage(trigger);
}

Deno.test("a frozen jetton pool of 2^20 notes is thawed, and then deposits, settles, and pays notes and claims", async () => {
  const { state, drawKey } = fullPool();
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool } = sandbox;
  const deposits = state.deposits! - 20;
  const almost = { ...state, deposits, settled: deposits - 4, withdrawals: deposits - 1_000 };
  await sandbox.setState({ ...almost, commitment: (leaf) => BigInt(leaf) }, 10_000_000n, manyClaims(CLAIMS));
  const data = await pool.data();
  const code = await v2TrapdoorJettonCode();
  const { cells, bits } = storageSize({ code, data });
  assert.ok(cells < MAX_MESSAGE_CELLS && bits < MAX_MESSAGE_BITS, `${cells} cells, ${bits} bits`);
  const jettons = await sandbox.balanceOf(pool.address);

  pool.chain.now! += 5 * YEAR;
  const from = pool.user.address;
  const poke = internal({ from, to: pool.address, value: 1n, bounce: false, body: emptyBody });
  await pool.chain.sendMessage(poke);
  assert.equal(await stateOf(sandbox), "frozen");
  // The wallet's notification reaches a frozen account, which cannot return it; its jettons wait with the pool's.
  const lost = await sandbox.deposit({ forward: toNano("0.3") });
  assert.ok(lost.tx.description.type === "generic" && lost.tx.description.computePhase.type === "skipped");

  await thaw(sandbox, { code, data }, toNano(100));
  assert.equal(await stateOf(sandbox), "active");
  assert.ok((await pool.data()).equals(data));
  assertAccepted(await sandbox.deposit());
  sandbox.pool.chain.now! += 30;
  assertAccepted(await sandbox.settle({ value: toNano("0.5") }));
  const nullifierHash = drawKey();
  assertAccepted(await sandbox.withdraw({ nullifierHash, value: toNano(3) }));
  assert.equal((await sandbox.withdraw({ nullifierHash, value: toNano(3) })).exitCode, 202);
  for (const { id } of manyClaims(CLAIMS)) {
    assertAccepted(await sandbox.send(storeRetryPayout(id), toNano(1)));
  }
  assert.equal((await pool.getPoolInfo()).claims, 0);
  const paid = manyClaims(CLAIMS).reduce((sum, { amount }) => sum + amount, pool.denomination);
  assert.equal(await sandbox.balanceOf(pool.address), jettons + 2n * pool.denomination - paid);
});
