/**
 * Messages of a jetton pool with too little gas, in steps of 1,000: state and jettons change completely or
 * not at all.
 */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { exitCodes } from "../../../src/core/errors/problem.ts";
import { mainnetConfig } from "../../../src/localnet/mainnet_config.ts";
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import { freshElement } from "../../../testkit/chain/pool_sandbox.ts";

const prices = chainPrices(mainnetConfig());

Deno.test("a deposit's notification with too little gas, at every 1,000 from zero, is a deposit or changes nothing", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  const { address: user } = pool.user;
  const data = await pool.data();
  const whole = await jettons.balanceOf(user) + await jettons.balanceOf(pool.address);
  const least = await jettons.depositValue();
  const codes = new Set<number>();
  let wayBackPaid = false;
  // The steps are 1,000 of the gas that a deposit burns. Beyond it only the required value matters, so the
  // steps are wider.
  for (let gas = 0n; prices.gas(gas) + 1n < least; gas += gas < 140_000n ? 1_000n : 50_000n) {
    const [held, stray] = [await jettons.balanceOf(user), await jettons.balanceOf(pool.address)];
    const outcome = await jettons.deposit({ forward: prices.gas(gas) + 1n });
    codes.add(outcome.exitCode);
    assert.ok((await pool.data()).equals(data), `with ${gas} the state is another`);
    assert.ok(outcome.balanceAfter >= outcome.balanceBefore, `with ${gas} the pool paid`);
    assert.deepEqual(outcome.logs, []);
    const back = await jettons.balanceOf(user) === held;
    assert.equal(await jettons.balanceOf(pool.address), back ? stray : stray + pool.denomination);
    assert.ok(back || !wayBackPaid, `with ${gas} they stayed, with less they returned`);
    wayBackPaid ||= back;
  }
  assert.ok(wayBackPaid && codes.has(-14) && codes.has(exitCodes.ERR_INSUFFICIENT_VALUE) && !codes.has(0));
  assert.equal(
    await jettons.balanceOf(user) + await jettons.balanceOf(pool.address),
    whole,
    "none was lost on the way",
  );
  const stray = await jettons.balanceOf(pool.address);
  assertSucceeded(await jettons.deposit({ forward: least }));
  assert.equal((await pool.getPoolInfo()).deposits, 1);
  assert.equal(await jettons.balanceOf(pool.address), stray + pool.denomination);
});

Deno.test("a withdrawal of jettons with too little gas, at every 1,000 from zero to enough, is complete or changes nothing", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  const data = await pool.data();
  const nullifierHash = freshElement();
  const recipient = new Address(0, Buffer.alloc(32, 0x71));
  const body = pool.withdrawBody({ nullifierHash, recipient });
  const quote = await pool.withdrawValue();
  const codes = new Set<number>();
  for (let gas = 0n; prices.gas(gas) < quote; gas += gas < 150_000n ? 1_000n : 100_000n) {
    const outcome = await pool.send(body, prices.gas(gas) + 1n);
    codes.add(outcome.exitCode);
    if (outcome.exitCode === 0) break;
    assert.ok((await pool.data()).equals(data), `with ${gas} the state is another`);
    assert.ok(outcome.balanceAfter >= outcome.balanceBefore, `with ${gas} the pool paid`);
    assert.ok(outcome.sent.every(({ info }) => info.type === "internal" && info.bounced), `with ${gas}`);
    assert.deepEqual(outcome.logs, []);
  }
  assert.ok(codes.has(-14) && codes.has(exitCodes.ERR_INSUFFICIENT_VALUE), [...codes].join());
  if (!codes.has(0)) assertSucceeded(await pool.send(body, quote));
  assert.equal(await jettons.balanceOf(recipient), pool.denomination - 50_000_000n);
  assert.equal(await jettons.balanceOf(pool.address), 0n);
});
