/** A version 2 jetton pool from discovery to the last withdrawal. */
import assert from "node:assert/strict";
import { Cell, toNano } from "@ton/core";
import { storeDiscoverJettonWallet } from "../../../../src/core/protocol/messages/pool_messages.ts";
import { freshElement } from "../../../../testkit/chain/pool_sandbox.ts";
import { V2JettonSandbox } from "../../../../testkit/chain/v2/jetton_sandbox.ts";
import tonweb from "../../../../testkit/vectors/tonweb_jetton.json" with { type: "json" };
import { assertAccepted, assertStateMirrored } from "../../../support/contracts/v2_assertions.ts";

const jettons = {
  "the common jetton": {},
  // The master of this jetton does not report the addresses of its wallets (TEP-89).
  "TonWeb's jetton": { walletCode: Cell.fromBase64(tonweb.wallet.boc) },
};
const cases = Object.entries(jettons).flatMap(([name, jetton]) =>
  (["mainnet", "old"] as const).map((prices) => ({ name, jetton, prices }))
);

for (const { name, jetton, prices } of cases) {
  Deno.test(`deposits of ${name} are settled and withdrawn, alone and in a batch, at ${prices} prices`, async () => {
    const sandbox = await V2JettonSandbox.openJetton({
      prices,
      jetton,
      discovered: false,
      balance: toNano(60),
    });
    const { pool } = sandbox;
    assert.equal((await pool.getPoolInfo()).jettonWallet, null);
    await pool.send(storeDiscoverJettonWallet(), toNano("0.2"));
    assert.ok((await pool.getPoolInfo()).jettonWallet!.equals(sandbox.jettons.poolWallet));

    for (let i = 0; i < 20; i++) {
      const outcome = assertAccepted(await sandbox.deposit());
      assert.deepEqual(outcome.logs, [{
        kind: "deposit",
        commitment: outcome.commitment,
        leafIndex: i,
        timestamp: pool.chain.now,
      }]);
    }
    await sandbox.settleAll();
    await assertStateMirrored(sandbox);

    assertAccepted(await sandbox.withdraw({ refund: toNano("0.1"), nullifierHash: freshElement() }));
    assert.equal(await sandbox.balanceOf(pool.relayer.address), 50_000_000n);
    const value = (await pool.get("get_withdraw_many_value", 12n, 0n)).readBigNumber();
    assertAccepted(await sandbox.withdrawMany(Array(12).fill({}), { value }));
    assert.equal(await sandbox.balanceOf(pool.relayer.address), 13n * 50_000_000n);
    for (let i = 13; i < 20; i++) assertAccepted(await sandbox.withdraw());
    assert.equal(await sandbox.balanceOf(pool.address), 0n);
    await assertStateMirrored(sandbox);
    assert.deepEqual((await pool.getPoolInfo()).claims, 0);
  });
}
