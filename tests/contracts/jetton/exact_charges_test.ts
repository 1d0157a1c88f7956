/**
 * The storage that a jetton pool writes, bit by bit, and the value of its transfers at extreme prices, both
 * computed from SPEC.md.
 */
import assert from "node:assert/strict";
import { Address, beginCell, Cell, toNano } from "@ton/core";
import { defaultConfig } from "@ton/sandbox/dist/config/defaultConfig.js";
import { exitCodes } from "../../../src/core/errors/problem.ts";
import { mainnetConfig } from "../../../src/localnet/mainnet_config.ts";
import { opCodes, storeDiscoverJettonWallet } from "../../../src/core/protocol/messages/pool_messages.ts";
import { configWithScaledPrices } from "../../support/contracts/network_configs.ts";
import { type ChainPrices, chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import { JettonSandbox, opCodeOf } from "../../../testkit/chain/jetton_sandbox.ts";
import { freshElement, type Outcome } from "../../../testkit/chain/pool_sandbox.ts";

const fees = await Deno.readTextFile(
  new URL("../../../contracts/v1/jetton/fees_jetton.tolk", import.meta.url),
);
const DEPOSIT_GAS = BigInt(/^const GAS_HIGHEST_JETTON_DEPOSIT = (\d+)/m.exec(fees)![1]);
const WITHDRAW_GAS = BigInt(/^const GAS_HIGHEST_JETTON_WITHDRAW = (\d+)/m.exec(fees)![1]);
const somebody = (byte: number, workchain = 0) => new Address(workchain, Buffer.alloc(32, byte));
const prices = chainPrices(mainnetConfig());
/** Returns the value that a deposit leaves in the pool: 40 years of two keys. */
function prepaid(at: ChainPrices): bigint {
  const fee = at.storage({ cells: 2n, bits: 204n, seconds: 1_262_304_000n });
  return fee > toNano("0.01") ? fee : toNano("0.01");
}
const coins = ({ info }: Outcome["sent"][number]) => info.type === "internal" ? info.value.coins : 0n;

Deno.test("the question to the master is TEP-89's, and carries all of the asker's value but its gas and way", async () => {
  const jettons = await JettonSandbox.open({ discovered: false });
  const { pool } = jettons;
  const value = toNano("0.2");
  const outcome = assertSucceeded(await pool.send(storeDiscoverJettonWallet(77n), value));
  const [question] = outcome.sent;
  const expected = beginCell().storeUint(opCodes.provide_wallet_address, 32).storeUint(77, 64)
    .storeAddress(pool.address).storeBit(false).endCell();
  assert.ok(question.body.equals(expected), question.body.toString());
  assert.ok(question.info.type === "internal" && question.info.bounce);
  assert.ok(question.info.dest.equals(jettons.minter.address));
  assert.equal(coins(question), value - outcome.tx.totalFees.coins - question.info.forwardFee);
});

Deno.test("jettons that are returned go by TEP-74 with a nano forwarded, to who sent them, in one transfer", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  const { address: user } = pool.user;
  for (
    const [amount, code] of [[3n, "ERR_WRONG_DENOMINATION"], [
      pool.denomination,
      "ERR_STALE_DEPOSIT",
    ]] as const
  ) {
    const outcome = await jettons.deposit({ amount, leafIndex: 9, queryId: 55n });
    assert.equal(outcome.exitCode, exitCodes[code]);
    const [back] = outcome.sent;
    const refused = beginCell().storeUint(0x77776663, 32).storeUint(exitCodes[code], 16).endCell();
    const expected = beginCell().storeUint(opCodes.transfer, 32).storeUint(55, 64).storeCoins(amount)
      .storeAddress(user).storeAddress(user).storeBit(0).storeCoins(1).storeBit(1).storeRef(refused)
      .endCell();
    assert.ok(back.body.equals(expected), back.body.toString());
    assert.ok(back.info.type === "internal" && back.info.bounce && back.info.dest.equals(jettons.poolWallet));
  }
});

Deno.test("a note's two transfers are TEP-74's, without a notification, to be answered to the sender", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  const [recipient, relayer, from] = [somebody(1), somebody(2), somebody(3)];
  const fee = 123n;
  const outcome = assertSucceeded(
    await jettons.withdraw({ recipient, relayer, from, fee, refund: 5n, queryId: 66n }),
  );
  const [refund, first, second] = outcome.sent;
  assert.equal(outcome.sent.length, 3);
  const transfer = (amount: bigint, to: Address) =>
    beginCell().storeUint(opCodes.transfer, 32).storeUint(66, 64).storeCoins(amount).storeAddress(to)
      .storeAddress(from).storeBit(0).storeCoins(0).storeBit(0).endCell();
  assert.ok(first.body.equals(transfer(pool.denomination - fee, recipient)));
  assert.ok(second.body.equals(transfer(fee, relayer)));
  for (const { info } of [first, second]) {
    assert.ok(info.type === "internal" && info.bounce && info.dest.equals(jettons.poolWallet));
  }
  assert.ok(refund.info.type === "internal" && !refund.info.bounce && refund.info.dest.equals(recipient));
  assert.deepEqual([coins(refund), refund.body.bits.length], [5n, 0]);
});

const scaledPrices = [
  ["mainnet's", 1n, mainnetConfig()],
  ["mainnet's", 20n, mainnetConfig()],
  ["mainnet's", 100n, mainnetConfig()],
  // Mainnet once charged for bits of storage as well.
  ["mainnet's older", 10n, Cell.fromBase64(defaultConfig)],
] as const;
for (const [whose, times, base] of scaledPrices) {
  Deno.test(`at ${times} times ${whose} prices a transfer carries what SPEC.md says, and a deposit must bring it`, async () => {
    const config = configWithScaledPrices(times, base);
    const dear = chainPrices(config);
    const jettons = await JettonSandbox.open({ config, balance: toNano(50) });
    const wallets = dear.gas(40_000n) + 2n * dear.forward(0, { cells: 30n, bits: 12_000n }) +
      dear.storage({ cells: 4n, bits: 1_500n, seconds: 157_788_000n });
    const carried = wallets > toNano("0.1") ? wallets : toNano("0.1");
    assert.equal(wallets > toNano("0.1"), times > 1n);
    assert.equal(
      await jettons.depositValue(),
      dear.gas(DEPOSIT_GAS) + dear.forward(0) + carried + dear.forward(0, { cells: 2n, bits: 928n }) +
        prepaid(dear),
    );
    assertSucceeded(await jettons.deposit());
    const nullifierHash = freshElement();
    const outcome = assertSucceeded(
      await jettons.withdraw({ nullifierHash, recipient: somebody(1), relayer: somebody(2) }),
    );
    const transfers = outcome.sent.filter(({ body }) => opCodeOf(body) === opCodes.transfer);
    // The quote includes the gas of the most expensive path twice; the transfers share what remains.
    const [surplus, other] = transfers.map((message) => coins(message) - carried);
    assert.equal(surplus, other);
    assert.ok(surplus > dear.gas(WITHDRAW_GAS) / 2n && surplus < dear.gas(WITHDRAW_GAS));
  });
}

Deno.test("a deposit's excess to the masterchain is charged the masterchain's way", async () => {
  const jettons = await JettonSandbox.open();
  const { pool, poolWallet } = jettons;
  const excess: bigint[] = [];
  const charged: bigint[] = [];
  for (const workchain of [0, -1]) {
    const sender = somebody(9, workchain);
    const body = beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64)
      .storeCoins(pool.denomination).storeAddress(sender).storeMaybeRef(await pool.depositBody()).endCell();
    const outcome = assertSucceeded(await pool.send(body, toNano(1), { from: poolWallet, bounce: false }));
    assert.ok(outcome.balanceAfter >= outcome.balanceBefore, "the pool paid for it");
    assert.equal((await pool.chain.getContract(sender)).balance, coins(outcome.sent[0]));
    excess.push(coins(outcome.sent[0]));
    charged.push(
      toNano(1) - coins(outcome.sent[0]) - prepaid(prices) - prices.gas(outcome.gasUsed) -
        prices.forward(workchain),
    );
    await jettons.setState({ deposits: 0 });
  }
  assert.ok(excess[0] > excess[1]);
  assert.ok(
    charged.every((nano) =>
      nano >= 0n && nano < prices.gas(300n) + prices.forward(0, { cells: 0n, bits: 265n })
    ),
  );
});
