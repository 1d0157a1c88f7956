/** The getters of an empty pool, of a pool in use and of a pool whose notes are all spent. */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import { zeros } from "../../src/core/tree/zeros.ts";
import { mainnetConfig } from "../../src/localnet/mainnet_config.ts";
import { configWithFreeStorage } from "../support/contracts/network_configs.ts";
import { freshElement, PoolSandbox } from "../../testkit/chain/pool_sandbox.ts";

const NOW = 1_800_000_000;

async function number(pool: PoolSandbox, getter: string, ...args: bigint[]): Promise<bigint> {
  return (await pool.get(getter, ...args)).readBigNumber();
}

async function truth(pool: PoolSandbox, getter: string, key: bigint): Promise<boolean> {
  return (await pool.get(getter, key)).readBoolean();
}

Deno.test("an empty pool: the empty tree's root, no deposits, no debt, nothing spent", async () => {
  const pool = await PoolSandbox.open({ now: NOW });
  assert.equal(await number(pool, "getCurrentRoot"), zeros[20]);
  assert.equal(await number(pool, "getNextIndex"), 0n);
  assert.equal(await number(pool, "getDenomination"), pool.denomination);
  assert.equal(await number(pool, "get_deposit_value"), pool.denomination);
  const { owner, ...info } = await pool.getPoolInfo();
  assert.ok(owner?.equals(pool.owner.address));
  assert.deepEqual(info, {
    kind: 0,
    jettonMaster: null,
    jettonWallet: null,
    paused: false,
    deposits: 0,
    withdrawals: 0,
    capacity: 131_072,
    debt: 0n,
    touched: 0,
    claims: 0,
  });
  for (const key of [0n, 1n, zeros[0], freshElement(), FIELD_MODULUS - 1n, 2n ** 256n - 1n]) {
    assert.equal(await truth(pool, "getIsSpent", key), false);
    assert.equal(await truth(pool, "getIsDeposited", key), false);
  }
});

Deno.test("a pool in use: commitments and nullifiers are told apart, debt and time are kept", async () => {
  const pool = await PoolSandbox.open({ now: NOW });
  const [commitment, nullifierHash] = [freshElement(), freshElement()];
  pool.chain.now = NOW + 10;
  await pool.deposit({ commitment });
  assert.deepEqual((await pool.getPoolInfo()).touched, NOW + 10);
  const { debt } = await pool.getPoolInfo();
  await pool.deposit({ commitment: nullifierHash });
  pool.chain.now = NOW + 20;
  await pool.withdraw({ nullifierHash });

  // One note's commitment equals another note's nullifier: both are accepted.
  assert.equal(await truth(pool, "getIsDeposited", commitment), true);
  assert.equal(await truth(pool, "getIsSpent", commitment), false);
  assert.equal(await truth(pool, "getIsDeposited", nullifierHash), true);
  assert.equal(await truth(pool, "getIsSpent", nullifierHash), true);
  assert.equal(await truth(pool, "getIsSpent", nullifierHash + FIELD_MODULUS), false);

  const info = await pool.getPoolInfo();
  assert.deepEqual([info.deposits, info.withdrawals, info.touched], [2, 1, NOW + 20]);
  assert.ok(debt > 0n && info.debt > 0n && info.debt < 2n * debt);
  assert.equal(await number(pool, "getNextIndex"), 2n);
  assert.equal(await number(pool, "getCurrentRoot"), pool.root);
  assert.equal(await number(pool, "get_deposit_value"), pool.denomination);
});

Deno.test("a fully spent pool: nothing unspent, no debt, its last root, and ready for the next deposit", async () => {
  const pool = await PoolSandbox.open();
  for (let i = 0; i < 3; i++) await pool.deposit();
  for (let i = 0; i < 3; i++) assert.equal((await pool.withdraw()).exitCode, 0);
  const { deposits, withdrawals, debt } = await pool.getPoolInfo();
  assert.deepEqual([deposits, withdrawals, debt], [3, 3, 0n]);
  assert.equal(await number(pool, "getCurrentRoot"), pool.root);
  assert.equal(await number(pool, "getNextIndex"), 3n);
  assert.ok(await pool.withdrawValue() > 0n);
  assert.equal((await pool.deposit()).exitCode, 0);
  assert.equal((await pool.withdraw()).exitCode, 0);
});

Deno.test("the quote is the same to the nano for every refund but for the refund itself", async () => {
  for (const prices of ["mainnet", "old"] as const) {
    const pool = await PoolSandbox.open({ prices });
    for (let unspent = 0; unspent < 2; unspent++) {
      const bare = await pool.withdrawValue();
      for (const refund of [1n, toNano("0.1"), toNano(1000)]) {
        assert.equal(await pool.withdrawValue(refund), bare + refund);
      }
      await pool.deposit();
    }
  }
});

Deno.test("the quote has a day of the pool's storage in it, as margin", async () => {
  const pool = await PoolSandbox.open({ now: NOW });
  await pool.deposit();
  const dear = await pool.withdrawValue();
  pool.chain.setConfig(configWithFreeStorage());
  const margin = dear - await pool.withdrawValue();
  pool.chain.setConfig(mainnetConfig());

  // If the balance is less than the notes are worth, due storage raises the value that the last note requires
  // by its own amount.
  await pool.setState({ balance: pool.denomination - toNano("0.1") });
  const short = await pool.withdrawValue();
  pool.chain.now = NOW + 86_400;
  assert.ok(margin > 0n);
  assert.equal(margin, await pool.withdrawValue() - short);
});
