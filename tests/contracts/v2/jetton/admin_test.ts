/**
 * The owner's messages to a version 2 jetton pool: which ones take effect and which ones the pool refuses.
 */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { storeAdmin, storeRecoverStuck } from "../../../../testkit/chain/admin_messages.ts";
import { chainPrices } from "../../../../testkit/chain/chain_prices.ts";
import { priceLists } from "../../../../testkit/chain/pool_sandbox.ts";
import { V2JettonSandbox } from "../../../../testkit/chain/v2/jetton_sandbox.ts";
import { at } from "../../../support/contracts/claims.ts";
import { configWithFreeStorage } from "../../../support/contracts/network_configs.ts";
import { assertAccepted, assertRefused } from "../../../support/contracts/v2_assertions.ts";

const settled = { deposits: 40, settled: 32, commitment: () => 1n, roots: [5n] };

Deno.test("the owner pauses deposits and nothing else, and ends the pause; others can do neither", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool } = sandbox;
  await sandbox.setState(settled);
  for (const [op, paused] of [["admin_pause", true], ["admin_unpause", false]] as const) {
    await assertRefused(sandbox, "ERR_NOT_OWNER", () => sandbox.send(storeAdmin(op), toNano(1)));
    assertAccepted(await sandbox.send(storeAdmin(op), toNano(1), { from: pool.owner.address }));
    assert.equal((await pool.getPoolInfo()).paused, paused);
    const { deposits } = await pool.getPoolInfo();
    await sandbox.deposit();
    assert.equal((await pool.getPoolInfo()).deposits, paused ? deposits : deposits + 1);
    assertAccepted(await sandbox.withdraw({ value: toNano(1) }));
    pool.chain.now! += 30;
    assertAccepted(await sandbox.settle());
  }
});

Deno.test("only the owner recovers surplus coins, which arrive at the named account", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool } = sandbox;
  await sandbox.setState(settled, toNano(100));
  const body = storeRecoverStuck(toNano(3), at(1));
  for (const from of [pool.user.address, pool.relayer.address]) {
    await assertRefused(sandbox, "ERR_NOT_OWNER", () => sandbox.send(body, toNano(1), { from }));
  }
  assertAccepted(await sandbox.send(body, toNano(1), { from: pool.owner.address }));
  const { balance } = await pool.chain.getContract(at(1));
  assert.equal(balance, toNano(3) - chainPrices(priceLists.mainnet).forward(0));
});

Deno.test("where storage is free, the owner leaves 2.5 and the prepaid settlements, to the nano", async () => {
  const sandbox = await V2JettonSandbox.openJetton({ config: configWithFreeStorage() });
  const pending = toNano("0.7");
  await sandbox.setState({ ...settled, pending }, toNano(10));
  const from = sandbox.pool.owner.address;
  const recover = (amount: bigint) => sandbox.send(storeRecoverStuck(amount, at(1)), toNano(1), { from });
  const surplus = toNano(10) - pending - toNano("2.5");
  await assertRefused(sandbox, "ERR_NOT_SURPLUS", () => recover(surplus + 1n));
  assertAccepted(await recover(surplus));
});
