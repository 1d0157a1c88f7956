/** What a jetton pool refuses to pay, the owner's rights over it, and what an issuer can do to it. */
import assert from "node:assert/strict";
import { Address, beginCell, toNano } from "@ton/core";
import { createShardAccount } from "@ton/sandbox";
import { storeAdmin, storeRecoverStuck } from "../../src/core/messages.ts";
import { assertDone, assertReturned } from "../support/jetton_claims.ts";
import { JettonSandbox } from "../support/jetton_sandbox.ts";
import { assertRefused } from "../support/pool_claims.ts";

const at = (workchain: number) => new Address(workchain, Buffer.alloc(32, 0x3c));

Deno.test("payees whom no standard wallet pays are ERR_BAD_ADDRESS: other workchains, the pool, its wallet", async () => {
  const jettons = await JettonSandbox.open();
  const { pool, poolWallet } = jettons;
  assertDone(await jettons.deposit());
  for (const payee of [at(-1), at(5), pool.address, poolWallet]) {
    await assertRefused(pool, "ERR_BAD_ADDRESS", () => jettons.withdraw({ recipient: payee }));
    await assertRefused(pool, "ERR_BAD_ADDRESS", () => jettons.withdraw({ relayer: payee }));
  }
  // Another's wallet is an owner like any.
  assertDone(await jettons.withdraw({ recipient: jettons.walletOf(pool.user.address) }));
});

Deno.test("fees above the denomination, or without a relayer, and proofs of other payees are refused", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertDone(await jettons.deposit());
  await assertRefused(pool, "ERR_FEE_TOO_HIGH", () => jettons.withdraw({ fee: pool.denomination + 1n }));
  await assertRefused(pool, "ERR_FEE_TOO_HIGH", () => jettons.withdraw({ fee: 1n, relayer: null }));
  await assertRefused(pool, "ERR_UNKNOWN_ROOT", () => jettons.withdraw({ root: 5n }));
  await assertRefused(
    pool,
    "ERR_PROOF_INVALID",
    () => jettons.withdraw({ signals: [1n, 2n, 3n, 4n, 5n, 6n] }),
  );
  assertDone(await jettons.withdraw({ fee: pool.denomination }));
});

Deno.test("with every note withdrawn, or before the wallet is known, even a proof that holds is refused", async () => {
  const spent = await JettonSandbox.open();
  assertDone(await spent.deposit());
  assertDone(await spent.withdraw());
  await assertRefused(spent.pool, "ERR_PROOF_INVALID", () => spent.withdraw());
  const unknown = await JettonSandbox.open({ discovered: false });
  await assertRefused(unknown.pool, "ERR_PROOF_INVALID", () => unknown.withdraw());
});

Deno.test("the owner pauses deposits and nothing else: they return, withdrawals go on", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertDone(await jettons.deposit());
  const from = pool.owner.address;
  await assertRefused(pool, "ERR_NOT_OWNER", () => pool.send(storeAdmin("admin_pause"), toNano(1)));
  assertDone(await pool.send(storeAdmin("admin_pause"), toNano(1), { from }));
  await assertReturned(jettons, "ERR_PAUSED", () => jettons.deposit());
  assertDone(await jettons.withdraw());
  assertDone(await pool.send(storeAdmin("admin_unpause"), toNano(1), { from }));
  assertDone(await jettons.deposit());
  assert.ok((await pool.info()).jettonWallet?.equals(jettons.poolWallet), "pausing kept the wallet");
});

Deno.test("the owner sweeps coins above the reserve of 2.5, jettons never; a burned owner has no rights", async () => {
  const jettons = await JettonSandbox.open({ balance: toNano(5) });
  const { pool } = jettons;
  assertDone(await jettons.deposit());
  const from = pool.owner.address;
  const surplus = await pool.balance() - toNano("2.5");
  const sweep = (amount: bigint, sender: Address) =>
    pool.send(storeRecoverStuck(amount, at(0)), toNano(1), { from: sender });
  await assertRefused(pool, "ERR_NOT_SURPLUS", () => sweep(surplus + 1n, from));
  await assertRefused(pool, "ERR_NOT_OWNER", () => sweep(1n, pool.user.address));
  assertDone(await sweep(surplus, from));
  assert.ok(await pool.balance() >= toNano("2.5"));
  assert.equal(await jettons.held(pool.address), pool.denomination);

  const { pool: burned } = await JettonSandbox.open({ balance: toNano(5), owner: "burned" });
  for (const body of [storeAdmin("admin_pause"), storeRecoverStuck(1n, at(0))]) {
    for (const sender of [burned.owner.address, at(0), new Address(0, Buffer.alloc(32))]) {
      await assertRefused(burned, "ERR_NOT_OWNER", () => burned.send(body, toNano(1), { from: sender }));
    }
  }
});

Deno.test("an issuer that stops the pool's wallet takes the notes paid out meanwhile, and no coins of the pool's", async () => {
  const jettons = await JettonSandbox.open();
  const { pool, poolWallet } = jettons;
  assertDone(await jettons.deposit());
  const code = beginCell().storeUint(0xf230, 16).endCell(); // THROW 48
  await pool.chain.setShardAccount(
    poolWallet,
    createShardAccount({ address: poolWallet, code, data: code, balance: toNano(1) }),
  );
  const outcome = assertDone(await jettons.withdraw());
  assert.ok(outcome.after > outcome.before + toNano("0.19"), "what the wallet refused came back");
  assert.equal((await pool.info()).withdrawals, 1);
  assert.equal(
    outcome.transactions.filter(({ description }) =>
      description.type === "generic" && description.computePhase.type === "vm" &&
      description.computePhase.exitCode === 48
    ).length,
    2,
  );
  await assertRefused(pool, "ERR_PROOF_INVALID", () => jettons.withdraw());
});
