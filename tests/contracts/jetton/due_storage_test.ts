/**
 * Due storage that the chain has not collected: every message must bring it in addition to its own cost.
 * Otherwise the pool would pay it with the coins of other notes.
 */
import assert from "node:assert/strict";
import { contractConstants } from "../../../testkit/chain/contract_constants.ts";
import { Address, beginCell, toNano } from "@ton/core";
import { exitCodes } from "../../../src/core/errors/problem.ts";
import { storeRecoverStuck } from "../../../testkit/chain/admin_messages.ts";
import { opCodes, storeRetryPayout } from "../../../src/core/protocol/messages/pool_messages.ts";
import { mainnetConfig } from "../../../src/localnet/mainnet_config.ts";
import { maxPoolSize } from "../../../src/ton/pool/pool_size.ts";
import { estimateWithdrawalCost } from "../../../src/ton/pool/withdrawal_cost.ts";
import { bounce, payout } from "../../../testkit/chain/bounced_payout.ts";
import { fromWallet } from "../../support/contracts/claims.ts";
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import { type Outcome, priceLists } from "../../../testkit/chain/pool_sandbox.ts";
import type { Claim } from "../../../testkit/chain/pool_storage.ts";

const prices = chainPrices(mainnetConfig());
const constant = await contractConstants(1);
const max = (a: bigint, b: bigint) => a > b ? a : b;
const at = (byte: number) => new Address(0, Buffer.alloc(32, byte));

/** The cost of a transfer to the pool's wallet, by SPEC.md. */
const transferCost = max(
  toNano("0.1"),
  prices.gas(40_000n) + 2n * prices.forward(0, { cells: 30n, bits: 12_000n }) +
    prices.storage({ cells: 4n, bits: 1_500n, seconds: 157_788_000n }),
) + prices.forward(0, { cells: 1n, bits: 880n });
const KEYS = max(toNano("0.01"), prices.storage({ cells: 2n, bits: 204n, seconds: 1_262_304_000n }));

const CLAIM_ID = 1_000_003n;
const claimsOf = (count: number) =>
  new Map<bigint, Claim>(
    Array.from({ length: count }, (_, i) => [BigInt(i + 1) * CLAIM_ID, { amount: 5n, destination: at(5) }]),
  );

/** Opens a pool of five notes and a claim, without coins, `idle` seconds after its last message. */
async function idlePool(idle: number): Promise<JettonSandbox> {
  const jettons = await JettonSandbox.open({ prices: "mainnet" });
  const { pool } = jettons;
  const jetton = { master: jettons.minter.address, wallet: jettons.poolWallet, claims: claimsOf(1) };
  await jettons.setState({ deposits: 5, jetton });
  await jettons.mint(pool.address, 1_000n);
  await pool.setState({ balance: 1n });
  pool.chain.now! += idle;
  return jettons;
}

/** Returns the storage fee that is due in the pool's transaction, in nano. */
function dueOf({ tx }: Outcome): bigint {
  assert.ok(tx.description.type === "generic");
  return tx.description.storagePhase?.storageFeesDue ?? 0n;
}

const messages: [
  what: string,
  least: () => bigint,
  send: (jettons: JettonSandbox, value: bigint) => Promise<Outcome>,
][] = [
  [
    "a withdrawal",
    () =>
      prices.gas(constant("GAS_HIGHEST_JETTON_WITHDRAW")) + prices.forward(0, { cells: 1n, bits: 534n }) +
      2n * transferCost + KEYS,
    (jettons, value) => jettons.withdraw({ value, root: jettons.pool.roots.at(-1) }),
  ],
  [
    "a retry",
    () =>
      prices.gas(constant("GAS_HIGHEST_RETRY")) + transferCost -
      prices.forward(0, { cells: 1n, bits: 880n }) +
      prices.forward(0, { cells: 1n, bits: 944n }),
    ({ pool }, value) => pool.send(storeRetryPayout(CLAIM_ID), value),
  ],
  [
    "a deposit whose notification bounces",
    () =>
      prices.gas(constant("GAS_HIGHEST_JETTON_DEPOSIT")) + prices.forward(0) + transferCost -
      prices.forward(0, { cells: 1n, bits: 880n }) + prices.forward(0, { cells: 2n, bits: 928n }) + KEYS,
    async ({ pool, poolWallet }, value) => {
      const body = beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64)
        .storeCoins(pool.denomination).storeAddress(at(9)).storeMaybeRef(await pool.depositBody()).endCell();
      return await pool.send(body, value, { from: poolWallet });
    },
  ],
];

for (const [what, leastOf, send] of messages) {
  Deno.test(`${what} must bring the storage that is due beside its cost, to the nano`, async () => {
    for (const idle of [0, 20_000_000]) {
      const due = dueOf(await send(await idlePool(idle), toNano(1)));
      assert.equal(due > 0n, idle > 0, `${due} due after ${idle} seconds`);
      const least = leastOf() + due;
      assert.equal((await send(await idlePool(idle), least)).exitCode, 0, `${least} after ${idle} seconds`);
      const { exitCode } = await send(await idlePool(idle), least - 1n);
      assert.equal(exitCode, exitCodes.ERR_INSUFFICIENT_VALUE, `${least - 1n} after ${idle} seconds`);
    }
  });
}

Deno.test("the pool keeps only the due storage and the claim's storage of a refused payout's value", async () => {
  for (const idle of [0, 20_000_000]) {
    const jettons = await idlePool(idle);
    const { pool } = jettons;
    const outcome = await pool.send(bounce(payout(at(1), 77n)), toNano("0.1"), fromWallet(jettons));
    assert.deepEqual([outcome.exitCode, outcome.actionCode, outcome.sent.length], [0, 0, 1]);
    assert.equal((await pool.getPoolInfo()).claims, 2);
    const kept = outcome.balanceAfter - toNano("0.01");
    assert.ok(kept >= 0n && kept <= 1n + prices.gas(300n), `${kept} after ${idle} seconds`);
  }
});

Deno.test("the relayer reads the storage that is due from a jetton pool's quote, and adds it to the cost", async () => {
  const read = {
    gasFee: prices.gas,
    forwardFee: (size: { cells: bigint; bits: bigint }, workchain = 0) => prices.forward(workchain, size),
    storageFee: prices.storage,
  };
  for (const [deposits, claims] of [[5, 1], [5_000, 250]]) {
    for (const idle of [0, 20_000_000]) {
      const jettons = await idlePool(0);
      const { pool } = jettons;
      const jetton = { master: jettons.minter.address, wallet: jettons.poolWallet, claims: claimsOf(claims) };
      await jettons.setState({ deposits, withdrawals: 3, jetton });
      await pool.setState({ balance: 1n });
      pool.chain.now! += idle;
      const info = { assetKind: "jetton", deposits, withdrawals: 3, debt: 0n, claims } as const;
      const due = prices.storage({ ...maxPoolSize(info), seconds: BigInt(idle) });
      const quote = await pool.withdrawValue();
      const added = estimateWithdrawalCost(read, info, { quote }) - estimateWithdrawalCost(read, info);
      assert.equal(added, max(0n, due - 1n), `${deposits} deposits, idle for ${idle} seconds`);
      assert.equal(estimateWithdrawalCost(read, info, { quote: 0n }), estimateWithdrawalCost(read, info));
    }
  }
});

for (const list of ["mainnet", "old"] as const) {
  Deno.test(`the owner leaves 40 years of the claims' storage in the pool, to the nano (${list} prices)`, async () => {
    const jettons = await JettonSandbox.open({ prices: list });
    const { pool } = jettons;
    const jetton = { master: jettons.minter.address, wallet: jettons.poolWallet, claims: claimsOf(250) };
    await jettons.setState({ deposits: 5_000, jetton });
    const cells = 5_461 + 2 * Math.floor((5_000 - 4_096) / 11);
    const reserve = chainPrices(priceLists[list]).storage({
      cells: BigInt(110 + 2 * cells + 2 * 250),
      bits: BigInt(70_000 + 102 * 10_000 + 600 * 250),
      seconds: 1_262_304_000n,
    });
    assert.ok(reserve > toNano("2.5"));
    await pool.setState({ balance: reserve + toNano(1) });
    const sweep = (amount: bigint) =>
      pool.send(storeRecoverStuck(amount, at(9)), toNano(1), { from: pool.owner.address });
    assert.equal((await sweep(toNano(1) + 1n)).exitCode, exitCodes.ERR_NOT_SURPLUS);
    assert.equal((await sweep(toNano(1))).exitCode, 0);
  });
}

Deno.test("a deposit's quote counts storage from the last message on, and none for a pool that had no message", async () => {
  const DAY = 86_400;
  const [, , [, leastOf]] = messages; // the value of a deposit
  const quoteOf = async (touched: number | undefined, idle: number) => {
    const jettons = await JettonSandbox.open({ prices: "mainnet" });
    const { pool } = jettons;
    const jetton = { master: jettons.minter.address, wallet: jettons.poolWallet };
    await jettons.setState({ deposits: 5, jetton, ...touched !== undefined && { touched } });
    await pool.setState({ balance: 1n });
    pool.chain.now! += idle;
    return await jettons.depositValue() - leastOf() + 1n; // the pool pays one nano of it
  };
  assert.equal(await quoteOf(0, 0), 1n);
  assert.equal(await quoteOf(0, DAY), 1n);
  const [day, twoDays] = [await quoteOf(undefined, 0), await quoteOf(undefined, DAY)];
  assert.ok(day > 0n && [0n, 1n].includes(2n * day - twoDays), `${day} for a day, ${twoDays} for two`);
});
