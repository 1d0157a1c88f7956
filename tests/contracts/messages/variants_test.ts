/** The bounce flag and the StateInit of a message: neither changes what a pool does with the body. */
import assert from "node:assert/strict";
import { Address, beginCell, type Cell, type StateInit, toNano } from "@ton/core";
import { internal } from "@ton/sandbox";
import { type ExitCodeName, exitCodes } from "../../../src/core/errors/problem.ts";
import { loadDepositRefusal } from "../../../src/core/protocol/messages/jetton_messages.ts";
import { storeAdmin } from "../../../testkit/chain/admin_messages.ts";
import { opCodes, storeRetryPayout } from "../../../src/core/protocol/messages/pool_messages.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import { freshElement, type Outcome, PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";
import { LOCKED, setWalletGate } from "../../support/contract_model/wallet_gate.ts";

const cell = beginCell().storeUint(1, 8).endCell();
/**
 * No message can replace a pool's code: the chain ignores the StateInit of a message to an active account.
 */
const inits: [what: string, init: StateInit | undefined][] = [
  ["without a StateInit", undefined],
  ["with a StateInit", { code: cell, data: cell }],
];
const variants = inits.flatMap(([what, stateInit]) =>
  [true, false].map((bounce) => ({ what: `${what}, bounce flag ${bounce}`, stateInit, bounce }))
);
type Variant = typeof variants[number];

function deliver(
  pool: PoolSandbox,
  body: Cell,
  value: bigint,
  { stateInit, bounce }: Variant,
  from = pool.user.address,
): Promise<Outcome> {
  return pool.deliver(internal({ from, to: pool.address, value, bounce, body, stateInit }));
}

/** Asserts a refusal that bounces if the flag is set, and otherwise leaves the value in the pool. */
function assertRefused(outcome: Outcome, code: ExitCodeName, { what, bounce }: Variant): void {
  assert.equal(outcome.exitCode, exitCodes[code], what);
  const kept = outcome.balanceAfter - outcome.balanceBefore;
  assert.deepEqual(outcome.logs, [], what);
  assert.equal(outcome.sent.length, bounce ? 1 : 0, what);
  if (bounce) assert.equal(kept, 0n, what);
  else assert.ok(kept > 0n, `${what}: the pool paid`);
}

for (const variant of variants) {
  Deno.test(`a native pool, ${variant.what}: deposits, withdrawals and their refusals`, async () => {
    const pool = await PoolSandbox.open();
    const code = async () => {
      const account = (await pool.chain.getContract(pool.address)).accountState;
      assert.ok(account?.type === "active");
      return account.state.code!.hash().toString("hex");
    };
    const before = await code();
    const newRoot = freshElement();
    const deposited = await deliver(pool, await pool.depositBody({ newRoot }), pool.denomination, variant);
    assert.deepEqual([deposited.exitCode, deposited.actionCode], [0, 0]);
    pool.roots.push(newRoot);
    const stale = await deliver(pool, await pool.depositBody({ leafIndex: 9 }), pool.denomination, variant);
    assert.equal(stale.exitCode, exitCodes.ERR_STALE_DEPOSIT);
    assert.equal(loadDepositRefusal(stale.sent[0].body), "ERR_STALE_DEPOSIT");
    assert.equal(stale.balanceAfter, stale.balanceBefore);

    const value = await pool.withdrawValue();
    const forged = pool.withdrawBody({ signals: [1n, 2n, 3n, 4n, 5n, 6n] });
    assertRefused(await deliver(pool, forged, value, variant), "ERR_PROOF_INVALID", variant);
    assertRefused(await deliver(pool, storeAdmin("admin_pause"), value, variant), "ERR_NOT_OWNER", variant);
    const recipient = new Address(0, Buffer.alloc(32, 0x21));
    const paid = await deliver(
      pool,
      pool.withdrawBody({ recipient, relayer: null, fee: 0n }),
      value,
      variant,
    );
    assert.deepEqual([paid.exitCode, paid.actionCode], [0, 0]);
    assert.equal((await pool.chain.getContract(recipient)).balance, pool.denomination);
    assert.equal(await code(), before, "another code");
  });

  Deno.test(`a jetton pool, ${variant.what}: deposits, withdrawals, retries and their refusals`, async () => {
    const jettons = await JettonSandbox.open();
    const { pool, poolWallet, minter } = jettons;
    assert.equal((await jettons.deposit()).exitCode, 0);
    const newRoot = freshElement();
    const notification = beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(3, 64)
      .storeCoins(pool.denomination).storeAddress(pool.user.address)
      .storeMaybeRef(await pool.depositBody({ newRoot })).endCell();
    const deposited = await deliver(pool, notification, await jettons.depositValue(), variant, poolWallet);
    assert.deepEqual([deposited.exitCode, deposited.actionCode], [0, 0]);
    pool.roots.push(newRoot);
    await jettons.mint(pool.address, pool.denomination);
    const value = await pool.withdrawValue();
    const [first, second] = [0x31, 0x32].map((byte) => new Address(0, Buffer.alloc(32, byte)));
    const body = (recipient: Address) => pool.withdrawBody({ recipient, relayer: null, fee: 0n });
    const forged = pool.withdrawBody({ signals: [1n, 2n, 3n, 4n, 5n, 6n] });
    assertRefused(await deliver(pool, forged, value, variant), "ERR_PROOF_INVALID", variant);
    assert.equal((await deliver(pool, body(first), value, variant)).exitCode, 0);
    assert.equal(await jettons.balanceOf(first), pool.denomination);

    assert.ok(await setWalletGate(pool.chain, poolWallet, minter.walletCode, LOCKED));
    const refused = await deliver(pool, body(second), value, variant);
    assert.equal(refused.exitCode, 0);
    await setWalletGate(pool.chain, poolWallet, minter.walletCode, 0n);
    const [{ info }] = refused.sent;
    assert.ok(info.type === "internal");
    const retry = storeRetryPayout(info.createdLt);
    const unknown = await deliver(pool, storeRetryPayout(info.createdLt + 1n), toNano("0.3"), variant);
    assertRefused(unknown, "ERR_UNKNOWN_CLAIM", variant);
    assertRefused(await deliver(pool, retry, toNano("0.05"), variant), "ERR_INSUFFICIENT_VALUE", variant);
    assert.equal((await pool.getPoolInfo()).claims, 1);
    assert.equal((await deliver(pool, retry, toNano("0.3"), variant)).exitCode, 0);
    assert.equal(await jettons.balanceOf(second), pool.denomination);
    assert.equal((await pool.getPoolInfo()).claims, 0);
  });
}
