/**
 * A version 2 jetton pool that does not pay for its storage: the chain freezes it, and a contract's message
 * thaws it.
 */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { storeRetryPayout } from "../../../../src/core/protocol/messages/pool_messages.ts";
import { MAX_MESSAGE_BITS, MAX_MESSAGE_CELLS } from "../../../../src/ops/rescue/rescue_plan.ts";
import { storageSize } from "../../../../src/ton/account_storage.ts";
import { manyClaims } from "../../../../testkit/chain/v2/claims.ts";
import { fullPool } from "../../../../testkit/chain/v2/full_pool.ts";
import { V2JettonSandbox } from "../../../../testkit/chain/v2/jetton_sandbox.ts";
import { v2TrapdoorJettonCode } from "../../../../testkit/chain/v2/trapdoor_codes.ts";
import { assertAccepted } from "../../../support/contracts/v2_assertions.ts";
import { accountState, poke, sendState } from "../../../support/contracts/v2_freeze.ts";

const YEAR = 31_557_600;
const CLAIMS = 3;

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
  await poke(sandbox);
  assert.equal(await accountState(sandbox), "frozen");
  // The wallet notifies a frozen account, which cannot return the jettons. They stay with those of the pool.
  const lost = await sandbox.deposit({ forward: toNano("0.3") });
  assert.ok(lost.tx.description.type === "generic" && lost.tx.description.computePhase.type === "skipped");

  await sendState(sandbox, { code, data }, toNano(100));
  assert.equal(await accountState(sandbox), "active");
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
