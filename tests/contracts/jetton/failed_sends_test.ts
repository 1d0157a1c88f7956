/**
 * Messages and logs that a jetton pool cannot send: nothing is lost, and a claim remains even if its payment
 * fails.
 */
import assert from "node:assert/strict";
import { Address, beginCell, toNano } from "@ton/core";
import { mainnetConfig } from "../../../src/localnet/mainnet_config.ts";
import { opCodes, storeRetryPayout } from "../../../src/core/protocol/messages/pool_messages.ts";
import { bounce, payout } from "../../../testkit/chain/bounced_payout.ts";
import { at, fromWallet, withClaims } from "../../support/contracts/claims.ts";
import { assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import {
  configWithClosedBasechain,
  RESULT_UNREACHABLE_WORKCHAIN,
} from "../../support/contracts/network_configs.ts";
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import { freshElement, type Outcome } from "../../../testkit/chain/pool_sandbox.ts";

const CLAIM = 1_000_003n;
/** A log fits into the root cell. */
const LOG_FEE = chainPrices(mainnetConfig()).forward(0);

Deno.test("a retry that cannot be sent is undone: the claim stays, and the value comes back", async () => {
  const jettons = await withClaims(1);
  const { pool } = jettons;
  const from = new Address(-1, at(0xcc).hash);
  const data = await pool.data();
  pool.chain.setConfig(configWithClosedBasechain());
  const outcome = await pool.send(storeRetryPayout(CLAIM), toNano(1), { from });
  assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, RESULT_UNREACHABLE_WORKCHAIN]);
  assert.ok((await pool.data()).equals(data));
  assert.equal(outcome.balanceAfter, outcome.balanceBefore);
  const [back] = outcome.sent;
  assert.ok(outcome.sent.length === 1 && back.info.type === "internal" && back.info.bounced);
  pool.chain.setConfig(mainnetConfig());
  assertSucceeded(await pool.send(storeRetryPayout(CLAIM), toNano(1)));
});

Deno.test("a claim is stored and logged although the rest of its value cannot be returned", async () => {
  const jettons = await withClaims(0);
  const { pool } = jettons;
  pool.chain.setConfig(configWithClosedBasechain());
  const outcome = assertSucceeded(
    await pool.send(bounce(payout(at(1), 77n)), toNano("0.1"), fromWallet(jettons)),
  );
  assert.deepEqual([outcome.sent.length, outcome.logs.map((log) => log?.kind)], [0, ["payout_claimed"]]);
  assert.equal((await pool.getPoolInfo()).claims, 1);
});

/** Refuses the same payout with several values, each time from the same state without coins. */
async function bouncedPayouts(claims: number) {
  const jettons = await withClaims(claims);
  const { pool } = jettons;
  const data = await pool.data();
  const send = async (value: bigint) => {
    await pool.setState({ data, balance: 0n });
    return await pool.send(bounce(payout(at(1), 77n)), value, fromWallet(jettons));
  };
  /** Returns the lowest value for which `holds` is true, by bisection, up to `excess` nano too high. */
  const least = async (holds: (outcome: Outcome) => boolean, excess = 0n) => {
    let [low, high] = [0n, 20_000_000n];
    while (high - low > excess + 1n) {
      const middle = (low + high) / 2n;
      if (holds(await send(middle))) high = middle;
      else low = middle;
    }
    return high;
  };
  return { pool, send, least };
}

for (const [claims, kind] of [[0, "payout_claimed"], [3_072, "payout_lost"]] as const) {
  Deno.test(`a payout is ${kind} although the pool cannot pay for the log, and its log takes no value`, async () => {
    const { pool, send, least } = await bouncedPayouts(claims);
    const unlogged = await send(await least(({ exitCode }) => exitCode === 0, LOG_FEE / 4n));
    assert.deepEqual([unlogged.actionCode, unlogged.logs.length], [0, 0]);
    const stored = kind === "payout_claimed" ? 1 : claims;
    assert.equal((await pool.getPoolInfo()).claims, stored);
    const value = await least(({ logs }) => logs.length === 1, LOG_FEE / 4n);
    const logged = await send(value);
    assert.equal(logged.logs[0]?.kind, kind);
    assert.equal(logged.balanceAfter, value - logged.tx.totalFees.coins);
    assert.equal((await pool.getPoolInfo()).claims, stored);
  });
}

Deno.test("what is left of a refused payout's value goes back from one nano on", async () => {
  const { send, least } = await bouncedPayouts(0);
  const value = await least(({ sent }) => sent.length === 1);
  const [{ info }] = (await send(value)).sent;
  assert.ok(info.type === "internal" && info.value.coins === 1n);
  assert.equal((await send(value - 1n)).sent.length, 0);
});

Deno.test("a refused deposit whose jettons cannot be returned fails in the action phase, for all to see", async () => {
  const jettons = await JettonSandbox.open();
  const { pool, poolWallet } = jettons;
  const data = await pool.data();
  const notification = beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64)
    .storeCoins(1n).storeAddress(at(0xdd)).storeBit(1)
    .storeRef(await pool.depositBody({ newRoot: freshElement() })).endCell();
  pool.chain.setConfig(configWithClosedBasechain());
  const outcome = await pool.send(notification, toNano(1), { from: poolWallet, bounce: false });
  assert.deepEqual([outcome.actionCode, outcome.sent.length], [RESULT_UNREACHABLE_WORKCHAIN, 0]);
  assert.ok((await pool.data()).equals(data));
});

Deno.test("coins sent as a deposit that cannot be returned fail in the action phase, for all to see", async () => {
  const { pool } = await JettonSandbox.open();
  pool.chain.setConfig(configWithClosedBasechain());
  const outcome = await pool.send(await pool.depositBody(), pool.denomination, { bounce: false });
  assert.deepEqual([outcome.actionCode, outcome.sent.length], [RESULT_UNREACHABLE_WORKCHAIN, 0]);
});
