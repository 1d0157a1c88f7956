/**
 * A version 2 pool that does not pay for its storage: the chain freezes it, and a contract's message thaws
 * it.
 */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { MAX_MESSAGE_BITS, MAX_MESSAGE_CELLS } from "../../../src/ops/rescue/rescue_plan.ts";
import { storageSize } from "../../../src/ton/account_storage.ts";
import { emptyV2PoolState, encodeV2PoolData } from "../../../src/ton/pool/v2/pool_state.ts";
import { fullPool } from "../../../testkit/chain/v2/full_pool.ts";
import { V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import { v2TrapdoorCode } from "../../../testkit/chain/v2/trapdoor_codes.ts";
import { assertAccepted } from "../../support/contracts/v2_assertions.ts";
import { accountState, poke, sendState } from "../../support/contracts/v2_freeze.ts";

const YEAR = 31_557_600;

Deno.test("a frozen pool of 2^20 notes is thawed by a contract's message, and pays the next withdrawal", async () => {
  const { state, drawKey } = fullPool();
  const sandbox = await V2Sandbox.open();
  const { pool } = sandbox;
  await sandbox.setState(state, 10_000_000n);
  const data = await pool.data();
  const code = await v2TrapdoorCode();
  const { cells, bits } = storageSize({ code, data });
  assert.ok(cells < MAX_MESSAGE_CELLS && bits < MAX_MESSAGE_BITS, `${cells} cells, ${bits} bits`);

  pool.chain.now! += 5 * YEAR;
  await poke(sandbox);
  assert.equal(await accountState(sandbox), "frozen");

  await sendState(sandbox, {
    code,
    data: encodeV2PoolData(emptyV2PoolState({ denomination: pool.denomination, owner: null, generation: 0 })),
  }, toNano(100));
  assert.equal(await accountState(sandbox), "frozen", "another state does not thaw it");
  await sendState(sandbox, { code, data }, toNano(11_000));
  assert.equal(await accountState(sandbox), "active");
  assert.equal((await pool.data()).hash().toString("hex"), data.hash().toString("hex"));

  const nullifierHash = drawKey();
  assertAccepted(await sandbox.withdraw({ nullifierHash, value: toNano(20) }));
  assert.equal((await sandbox.withdraw({ nullifierHash, value: toNano(20) })).exitCode, 202);
});
