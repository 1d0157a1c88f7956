/**
 * A jetton pool with the wallet and master of another jetton (TEP-74). npm's `tonweb` contains them in
 * compiled form (testkit/vectors/tonweb_jetton.json, made by `deno task jetton:fixture`).
 */
import assert from "node:assert/strict";
import { Address, Cell, toNano } from "@ton/core";
import { storeDiscoverJettonWallet } from "../../../src/core/protocol/messages/pool_messages.ts";
import tonweb from "../../../testkit/vectors/tonweb_jetton.json" with { type: "json" };
import { assertJettonsReturned, assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import { jettonMaster, JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import { assertRejected } from "../../support/contracts/pool_assertions.ts";
import { freshElement } from "../../../testkit/chain/pool_sandbox.ts";

const [code, walletCode] = [tonweb.minter, tonweb.wallet].map(({ boc }) => Cell.fromBase64(boc));
const somebody = (byte: number) => new Address(0, Buffer.alloc(32, byte));

Deno.test("the fixture is the code that it names, and not the other jetton's", () => {
  assert.deepEqual([code, walletCode].map((cell) => cell.hash().toString("hex")), [
    tonweb.minter.hash,
    tonweb.wallet.hash,
  ]);
  const other = jettonMaster();
  assert.ok(!other.init.code!.equals(code));
});

Deno.test("with TonWeb's jetton wallet, notes are deposited and withdrawn to the unit, and refused jettons return", async () => {
  const jettons = await JettonSandbox.open({ jetton: { walletCode } });
  const { pool } = jettons;
  assert.ok(
    (await pool.getPoolInfo()).jettonWallet?.equals(jettons.poolWallet),
    "the master reports that wallet",
  );
  const before = await jettons.balanceOf(pool.user.address);
  assertSucceeded(await jettons.deposit());
  assertSucceeded(await jettons.deposit());
  assert.equal(await jettons.balanceOf(pool.user.address), before - 2n * pool.denomination);
  await assertJettonsReturned(jettons, "ERR_WRONG_DENOMINATION", () => jettons.deposit({ amount: 1n }));
  await assertJettonsReturned(jettons, "ERR_STALE_DEPOSIT", () => jettons.deposit({ leafIndex: 7 }));
  await assertJettonsReturned(jettons, "ERR_MALFORMED", () => jettons.deposit({ payload: null }));
  const least = await jettons.depositValue();
  await assertJettonsReturned(
    jettons,
    "ERR_INSUFFICIENT_VALUE",
    () => jettons.deposit({ forward: least - 1n }),
  );

  const [recipient, relayer] = [somebody(0xa1), somebody(0xa2)];
  const [nullifierHash, fee, refund] = [freshElement(), 50_000_000n, toNano("0.1")];
  const change = { nullifierHash, recipient, relayer, fee, refund };
  assertSucceeded(await jettons.withdraw(change));
  assert.equal(await jettons.balanceOf(recipient), pool.denomination - fee);
  assert.equal(await jettons.balanceOf(relayer), fee);
  assert.equal(await jettons.balanceOf(pool.address), pool.denomination);
  assert.equal((await pool.chain.getContract(recipient)).balance, refund);
  await assertRejected(pool, "ERR_ALREADY_SPENT", () => jettons.withdraw(change));
});

Deno.test("a real master without TEP-89 refuses the request: the pool stays without a wallet and accepts no deposit", async () => {
  const jettons = await JettonSandbox.open({ jetton: { code, walletCode }, discovered: false });
  const { pool } = jettons;
  const outcome = await pool.send(storeDiscoverJettonWallet(), toNano("0.2"));
  assertSucceeded(outcome);
  assert.ok(outcome.balanceAfter > outcome.balanceBefore, "the master did not give the value back");
  assert.equal((await pool.getPoolInfo()).jettonWallet, null);
  await assertJettonsReturned(jettons, "ERR_JETTON_WALLET_UNKNOWN", () => jettons.deposit());
});
