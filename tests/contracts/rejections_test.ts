/**
 * Every refusal of deposits and withdrawals except malformed bodies, by exit code, under both price lists.
 */
import assert from "node:assert/strict";
import { Address, toNano } from "@ton/core";
import type { ExitCodeName } from "../../src/core/errors/problem.ts";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import { storeAdmin } from "../../testkit/chain/admin_messages.ts";
import { forgeProof } from "../../testkit/chain/trapdoor_keys.ts";
import { zeros } from "../../src/core/tree/zeros.ts";
import { assertRejected } from "../support/contracts/pool_assertions.ts";
import {
  type DepositChange,
  freshElement,
  PoolSandbox,
  priceLists,
  type WithdrawChange,
} from "../../testkit/chain/pool_sandbox.ts";

const elsewhere = Address.parse("5:" + "ab".repeat(32));
const highest = 2n ** 256n - 1n;
const { commitment, nullifierHash } = { commitment: freshElement(), nullifierHash: freshElement() };

type Row<Change> = [claim: string, code: ExitCodeName, change: (pool: PoolSandbox, quote: bigint) => Change];

const deposits: Row<DepositChange>[] = [
  [
    "a nano less than the denomination",
    "ERR_WRONG_DENOMINATION",
    (pool) => ({ value: pool.denomination - 1n }),
  ],
  [
    "a nano more than the denomination",
    "ERR_WRONG_DENOMINATION",
    (pool) => ({ value: pool.denomination + 1n }),
  ],
  ["a tenth of the denomination", "ERR_WRONG_DENOMINATION", (pool) => ({ value: pool.denomination / 10n })],
  ["twice the denomination", "ERR_WRONG_DENOMINATION", (pool) => ({ value: pool.denomination * 2n })],
  ["a commitment that is there", "ERR_DUPLICATE_COMMITMENT", () => ({ commitment })],
  ["a leaf that is taken", "ERR_STALE_DEPOSIT", () => ({ leafIndex: 2 })],
  ["a leaf beyond the next", "ERR_STALE_DEPOSIT", () => ({ leafIndex: 4 })],
  ["the highest leaf index that fits", "ERR_STALE_DEPOSIT", () => ({ leafIndex: 2 ** 32 - 1 })],
  ["a commitment plus r", "ERR_NOT_IN_FIELD", () => ({ commitment: commitment + FIELD_MODULUS })],
  ["a commitment of r", "ERR_NOT_IN_FIELD", () => ({ commitment: FIELD_MODULUS })],
  ["a new root plus r", "ERR_NOT_IN_FIELD", () => ({ newRoot: freshElement() + FIELD_MODULUS })],
  ["the highest new root that fits", "ERR_NOT_IN_FIELD", () => ({ newRoot: highest })],
  ["a proof that starts at another root", "ERR_PROOF_INVALID", () => ({
    commitment: 5n,
    newRoot: 6n,
    signals: [7n, 6n, 5n, 3n],
  })],
  ["a proof for another leaf", "ERR_PROOF_INVALID", (pool) => ({
    commitment: 5n,
    newRoot: 6n,
    signals: [pool.root, 6n, 5n, 2n],
  })],
];

const withdrawals: Row<WithdrawChange>[] = [
  ["a nullifier that is spent", "ERR_ALREADY_SPENT", () => ({ nullifierHash })],
  ["a root that never was", "ERR_UNKNOWN_ROOT", () => ({ root: freshElement() })],
  ["the root 0, which fills unused slots", "ERR_UNKNOWN_ROOT", () => ({ root: 0n })],
  ["a spent nullifier plus r, with the proof that held", "ERR_NOT_IN_FIELD", () => ({
    nullifierHash: nullifierHash + FIELD_MODULUS,
  })],
  ["a nullifier of r", "ERR_NOT_IN_FIELD", () => ({ nullifierHash: FIELD_MODULUS })],
  ["the highest nullifier that fits", "ERR_NOT_IN_FIELD", () => ({ nullifierHash: highest })],
  ["the root plus r", "ERR_NOT_IN_FIELD", (pool) => ({ root: pool.root + FIELD_MODULUS })],
  ["another's proof", "ERR_PROOF_INVALID", () => ({ signals: [1n, 2n, 3n, 4n, 5n, 6n] })],
  ["a fee above the denomination", "ERR_FEE_TOO_HIGH", (pool) => ({ fee: pool.denomination + 1n })],
  ["a fee for nobody", "ERR_FEE_TOO_HIGH", () => ({ relayer: null, fee: 1n })],
  ["a recipient in workchain 5", "ERR_BAD_ADDRESS", () => ({ recipient: elsewhere })],
  ["a relayer in workchain 5", "ERR_BAD_ADDRESS", () => ({ relayer: elsewhere })],
  ["a relayer in workchain 5 for nothing", "ERR_BAD_ADDRESS", () => ({ relayer: elsewhere, fee: 0n })],
  ["a relayer in workchain -2", "ERR_BAD_ADDRESS", () => ({ relayer: new Address(-2, elsewhere.hash) })],
  ["the pool as the recipient", "ERR_BAD_ADDRESS", (pool) => ({ recipient: pool.address })],
  ["the pool as the relayer", "ERR_BAD_ADDRESS", (pool) => ({ relayer: pool.address })],
  ["a third of the quote", "ERR_INSUFFICIENT_VALUE", (_, quote) => ({ value: quote / 3n })],
  ["too little for the refund", "ERR_INSUFFICIENT_VALUE", () => ({ refund: toNano(3), value: toNano(3) })],
  [
    "a refund that no one has",
    "ERR_INSUFFICIENT_VALUE",
    () => ({ refund: 2n ** 120n - 1n, value: toNano(3) }),
  ],
];

for (const prices of Object.keys(priceLists) as (keyof typeof priceLists)[]) {
  Deno.test(`a refused message leaves the pool as it was and its value comes back (${prices} prices)`, async (t) => {
    const pool = await PoolSandbox.open({ prices });
    await pool.deposit({ commitment });
    await pool.deposit();
    await pool.deposit();
    await pool.withdraw({ nullifierHash });

    const quote = await pool.withdrawValue();
    for (const [claim, code, change] of deposits) {
      await t.step(
        `deposit: ${claim} is ${code}`,
        () => assertRejected(pool, code, () => pool.deposit(change(pool, quote))),
      );
    }
    for (const [claim, code, change] of withdrawals) {
      await t.step(
        `withdrawal: ${claim} is ${code}`,
        () => assertRejected(pool, code, () => pool.withdraw({ value: quote, ...change(pool, quote) })),
      );
    }

    await t.step("deposit: any while the pool is paused is ERR_PAUSED", async () => {
      assert.equal(
        (await pool.send(storeAdmin("admin_pause"), toNano("0.1"), { from: pool.owner.address })).exitCode,
        0,
      );
      await assertRejected(pool, "ERR_PAUSED", () => pool.deposit());
    });
  });
}

Deno.test("a pool without deposits pays nobody, whatever root a proof names", async () => {
  const pool = await PoolSandbox.open();
  await assertRejected(pool, "ERR_UNKNOWN_ROOT", () => pool.withdraw({ root: 0n }));
  await assertRejected(pool, "ERR_UNKNOWN_ROOT", () => pool.withdraw({ root: freshElement() }));
  await assertRejected(pool, "ERR_PROOF_INVALID", () => pool.withdraw({ root: zeros[20] }));
});

Deno.test("a pool whose notes are all paid pays nobody, though a proof should hold", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  assert.equal((await pool.withdraw()).exitCode, 0);
  await assertRejected(pool, "ERR_PROOF_INVALID", () => pool.withdraw());
});

Deno.test("of two deposits that race for a leaf, the pool accepts the first and returns the other's value", async () => {
  const pool = await PoolSandbox.open();
  const [first, second] = [await pool.depositBody(), await pool.depositBody()];
  const won = await pool.send(first, pool.denomination);
  assert.equal(won.exitCode, 0);
  await assertRejected(pool, "ERR_STALE_DEPOSIT", () => pool.send(second, pool.denomination));
});

Deno.test("what a proof holds for is what a pool with the test's keys accepts", async () => {
  const pool = await PoolSandbox.open();
  const [commitment, newRoot] = [freshElement(), freshElement()];
  const proof = forgeProof([pool.root, newRoot, commitment, 0n]);
  await assertRejected(
    pool,
    "ERR_PROOF_INVALID",
    () => pool.deposit({ commitment, newRoot: freshElement(), proof }),
  );
  const { exitCode } = await pool.deposit({ commitment, newRoot, proof });
  assert.equal(exitCode, 0);
});
