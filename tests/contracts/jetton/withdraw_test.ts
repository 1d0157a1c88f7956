/**
 * Withdrawals that a jetton pool refuses, the owner's rights over the pool, and what an issuer can do to it.
 */
import assert from "node:assert/strict";
import { Address, beginCell, toNano } from "@ton/core";
import { storeAdmin, storeRecoverStuck } from "../../../testkit/chain/admin_messages.ts";
import { assertJettonsReturned, assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import { freshElement } from "../../../testkit/chain/pool_sandbox.ts";
import { assertRejected } from "../../support/contracts/pool_assertions.ts";

const payee = (byte: number) => new Address(0, Buffer.alloc(32, byte));
const at = (workchain: number) => new Address(workchain, Buffer.alloc(32, 0x3c));

Deno.test("payees whom no standard wallet pays are ERR_BAD_ADDRESS: other workchains, the pool, its wallet", async () => {
  const jettons = await JettonSandbox.open();
  const { pool, poolWallet } = jettons;
  assertSucceeded(await jettons.deposit());
  for (const payee of [at(-1), at(5), pool.address, poolWallet]) {
    await assertRejected(pool, "ERR_BAD_ADDRESS", () => jettons.withdraw({ recipient: payee }));
    await assertRejected(pool, "ERR_BAD_ADDRESS", () => jettons.withdraw({ relayer: payee }));
  }
  // Another pool's wallet is an owner like any other.
  assertSucceeded(await jettons.withdraw({ recipient: jettons.walletOf(pool.user.address) }));
});

Deno.test("fees above the denomination, or without a relayer, and proofs of other payees are refused", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  await assertRejected(pool, "ERR_FEE_TOO_HIGH", () => jettons.withdraw({ fee: pool.denomination + 1n }));
  await assertRejected(pool, "ERR_FEE_TOO_HIGH", () => jettons.withdraw({ fee: 1n, relayer: null }));
  await assertRejected(pool, "ERR_UNKNOWN_ROOT", () => jettons.withdraw({ root: 5n }));
  await assertRejected(
    pool,
    "ERR_PROOF_INVALID",
    () => jettons.withdraw({ signals: [1n, 2n, 3n, 4n, 5n, 6n] }),
  );
  assertSucceeded(await jettons.withdraw({ fee: pool.denomination }));
});

Deno.test("with every note withdrawn, or before the wallet is known, even a proof that holds is refused", async () => {
  const spent = await JettonSandbox.open();
  assertSucceeded(await spent.deposit());
  assertSucceeded(await spent.withdraw());
  await assertRejected(spent.pool, "ERR_PROOF_INVALID", () => spent.withdraw());
  const unknown = await JettonSandbox.open({ discovered: false });
  await assertRejected(unknown.pool, "ERR_PROOF_INVALID", () => unknown.withdraw());
});

Deno.test("the owner pauses deposits and nothing else: they return, withdrawals go on", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  const from = pool.owner.address;
  await assertRejected(pool, "ERR_NOT_OWNER", () => pool.send(storeAdmin("admin_pause"), toNano(1)));
  assertSucceeded(await pool.send(storeAdmin("admin_pause"), toNano(1), { from }));
  await assertJettonsReturned(jettons, "ERR_PAUSED", () => jettons.deposit());
  assertSucceeded(await jettons.withdraw());
  assertSucceeded(await pool.send(storeAdmin("admin_unpause"), toNano(1), { from }));
  assertSucceeded(await jettons.deposit());
  assert.ok((await pool.getPoolInfo()).jettonWallet?.equals(jettons.poolWallet), "pausing kept the wallet");
});

Deno.test("the owner sweeps coins above the reserve of 2.5, jettons never; a burned owner has no rights", async () => {
  const jettons = await JettonSandbox.open({ balance: toNano(5) });
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  const from = pool.owner.address;
  const surplus = await pool.balance() - toNano("2.5");
  const sweep = (amount: bigint, sender: Address) =>
    pool.send(storeRecoverStuck(amount, at(0)), toNano(1), { from: sender });
  await assertRejected(pool, "ERR_NOT_SURPLUS", () => sweep(surplus + 1n, from));
  await assertRejected(pool, "ERR_NOT_OWNER", () => sweep(1n, pool.user.address));
  assertSucceeded(await sweep(surplus, from));
  assert.ok(await pool.balance() >= toNano("2.5") && await pool.balance() < toNano("3.6"));
  const swept = (await pool.chain.getContract(at(0))).balance;
  assert.ok(swept < surplus && swept > surplus - toNano("0.001"), `${swept} of ${surplus} arrived`);
  assert.equal(await jettons.balanceOf(pool.address), pool.denomination);

  const { pool: burned } = await JettonSandbox.open({ balance: toNano(5), owner: "burned" });
  for (const body of [storeAdmin("admin_pause"), storeRecoverStuck(1n, at(0))]) {
    for (const sender of [burned.owner.address, at(0), new Address(0, Buffer.alloc(32))]) {
      await assertRejected(burned, "ERR_NOT_OWNER", () => burned.send(body, toNano(1), { from: sender }));
    }
  }
});

Deno.test("two notes are paid one after the other: parties, counts, times, logs and spent notes are as sent", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  for (let i = 0; i < 3; i++) assertSucceeded(await jettons.deposit());
  const [recipient, relayer, fee, refund] = [payee(0xa1), payee(0xa2), 70_000_000n, 3_000_000n];
  for (const count of [1, 2]) {
    pool.chain.now! += 100;
    const nullifierHash = freshElement();
    const before = (await pool.chain.getContract(recipient)).balance;
    const outcome = assertSucceeded(
      await jettons.withdraw({ nullifierHash, recipient, relayer, fee, refund, queryId: 55n }),
    );
    const [log, ...others] = outcome.logs;
    assert.ok(log?.kind === "withdrawal" && others.length === 0);
    assert.deepEqual([log.nullifierHash, log.fee, log.refund], [nullifierHash, fee, refund]);
    assert.ok(log.recipient.equals(recipient) && log.relayer?.equals(relayer));
    const [coins, first, second] = outcome.sent;
    assert.ok(outcome.sent.length === 3 && coins.info.type === "internal");
    assert.deepEqual([coins.info.value.coins, coins.info.bounce], [refund, false]);
    for (
      const [transfer, amount, destination] of [[first, pool.denomination - fee, recipient], [
        second,
        fee,
        relayer,
      ]] as const
    ) {
      const body = beginCell().storeUint(0x0f8a7ea5, 32).storeUint(55, 64).storeCoins(amount)
        .storeAddress(destination).storeAddress(outcome.tx.inMessage!.info.src as Address).storeBit(0)
        .storeCoins(0).storeBit(0)
        .endCell();
      assert.ok(transfer.body.equals(body), transfer.body.toString());
      assert.ok(transfer.info.type === "internal" && transfer.info.bounce);
      assert.ok(transfer.info.dest.equals(jettons.poolWallet));
    }
    assert.ok((await pool.chain.getContract(recipient)).balance >= before + refund);
    assert.equal(await jettons.balanceOf(recipient), BigInt(count) * (pool.denomination - fee));
    assert.equal(await jettons.balanceOf(relayer), BigInt(count) * fee);
    const { deposits, withdrawals, touched, debt } = await pool.getPoolInfo();
    assert.deepEqual([deposits, withdrawals, touched, debt], [3, count, pool.chain.now, 0n]);
    assert.equal((await pool.get("getIsSpent", nullifierHash)).readBoolean(), true);
  }
});
