/**
 * The cost of attacks that no rule forbids, and the lifetime of a pool. These are the figures of
 * docs/security.md, computed at mainnet's prices from the fees of real messages.
 */
import assert from "node:assert/strict";
import { POOL_CAPACITY } from "../../src/core/protocol/pool_constants.ts";
import { mainnetConfig } from "../../src/localnet/mainnet_config.ts";
import { freshElement, PoolSandbox } from "../../testkit/chain/pool_sandbox.ts";
import { sendingFee, sentCoins } from "../../testkit/chain/note_costs.ts";
import { JettonSandbox } from "../../testkit/chain/jetton_sandbox.ts";
import { chainPrices } from "../../testkit/chain/chain_prices.ts";
import vectors from "../../testkit/vectors/mainnet-prices.json" with { type: "json" };

const TON = 1_000_000_000n;
const YEAR = 31_557_600n;
const prices = chainPrices(mainnetConfig());
const fees = await Deno.readTextFile(new URL("../../contracts/v1/fees.tolk", import.meta.url));
const HIGHEST_GAS = BigInt(/^const GAS_HIGHEST_PATH = (\d+)/m.exec(fees)![1]);
const spec = await Deno.readTextFile(new URL("../../contracts/v1/SPEC.md", import.meta.url));
const page = await Deno.readTextFile(new URL("../../docs/security.md", import.meta.url));

/** Asserts that the page contains the text, with any line breaks. */
function says(text: string): void {
  assert.ok(page.replaceAll(/\s+/g, " ").includes(text), `docs/security.md does not say: ${text}`);
}

Deno.test("filling a pool by depositing and withdrawing the same coins costs what the documents say, for any denomination", async () => {
  assert.equal(
    prices.gas(1_000_100n) - prices.gas(100n),
    BigInt(vectors.param21_gas.gas_price) * 1_000_000n / 65_536n + 1n,
  );
  const costs: bigint[] = [];
  for (const denomination of [TON, 1_000n * TON]) {
    const pool = await PoolSandbox.open({ denomination, prices: "mainnet" });
    await pool.deposit(); // not the first deposit, which finds an empty log
    await pool.withdraw();
    const [commitment, newRoot] = [freshElement(), freshElement()];
    const depositBody = await pool.depositBody({ commitment, newRoot });
    const deposited = await pool.send(depositBody, denomination);
    pool.roots.push(newRoot);
    assert.equal(deposited.exitCode, 0);
    const value = await pool.withdrawValue();
    const withdrawBody = pool.withdrawBody({ fee: 0n, relayer: null, refund: 0n });
    const withdrawn = await pool.send(withdrawBody, value);
    assert.equal(withdrawn.exitCode, 0);
    costs.push(
      denomination + value - sentCoins(withdrawn) + sendingFee(depositBody) + sendingFee(withdrawBody),
    );
  }
  assert.ok(costs[1] - costs[0] < TON / 10_000n, "the denomination makes no difference");
  const total = Number(costs[0] * BigInt(POOL_CAPACITY) / TON);
  assert.ok(total > 2_500 && total < 3_500, `${total} GRAM`);
  const hundreds = (Math.round(total / 100) * 100).toLocaleString("en-US");
  says(`about ${hundreds} GRAM`);
  assert.ok(spec.includes(`about ${hundreds} GRAM`), `SPEC.md: about ${hundreds} GRAM`);
  says(`${(Number(costs[0]) / 1e9).toFixed(3)} a note`);
  says(`about ${(30 * Number(costs[0]) / 1e9).toFixed(2)} GRAM in a native pool`);
});

Deno.test("filling a jetton pool costs what the documents say: prepaid storage and gas, besides the wallets' fees", async () => {
  const jettons = await JettonSandbox.open({ prices: "mainnet" });
  await jettons.deposit(); // not the first deposit, which finds an empty log
  await jettons.withdraw();
  const value = await jettons.pool.withdrawValue() + TON / 10n;
  const outcomes = [await jettons.deposit(), await jettons.withdraw({ value })];
  assert.deepEqual(outcomes.map(({ exitCode }) => exitCode), [0, 0]);
  const prepaid = outcomes.map(({ balanceBefore, balanceAfter }) => balanceAfter - balanceBefore);
  const units = (nano: bigint) => Number(nano) / 1e9;
  const atLeast = (nano: bigint) => (Math.floor(units(nano) * 1_000) / 1_000).toFixed(3);
  for (const each of prepaid) says(`prepay ${units(each).toFixed(2)} each`);
  const gas = outcomes.reduce((sum, { gasUsed }) => sum + prices.gas(gasUsed), 0n);
  says(`use gas for at least ${atLeast(gas)} in total`);
  const note = prepaid[0] + prepaid[1] + gas;
  says(`the attacker pays at least ${atLeast(note)} and the wallets' fees`);
  const hundreds = (Math.floor(units(note) * POOL_CAPACITY / 100) * 100).toLocaleString("en-US");
  says(`A jetton pool: at least ${hundreds},`);
  assert.match(spec.replaceAll(/\s+/g, " "), new RegExp(`Filling a jetton pool costs at least ${hundreds},`));
  says(
    `at least ${(Math.floor(units(note) * 300) / 10).toFixed(1)} in a jetton pool to deposit and withdraw 30`,
  );
});

Deno.test("a deposit that loses the race for its leaf costs its depositor under a thousandth of a GRAM", async () => {
  const pool = await PoolSandbox.open({ prices: "mainnet" });
  const mine = await pool.depositBody();
  await pool.deposit();
  const lost = await pool.send(mine, pool.denomination);
  assert.equal(lost.exitCode, 103);
  const cost = pool.denomination - sentCoins(lost) + sendingFee(mine);
  assert.ok(cost > TON / 2_000n && cost < TON / 1_000n, `${cost} nano`);
  says("under 0.001 GRAM");
});

Deno.test("SPEC.md states the minimum denomination and the cost of a jetton deposit", async () => {
  const units = (nano: bigint) => (Number(nano) / 1e9).toFixed(3);
  const jettons = await JettonSandbox.open();
  await jettons.deposit(); // not the first deposit, which finds an empty log
  const value = await jettons.depositValue();
  const { exitCode, sent } = await jettons.deposit({ forward: value });
  assert.equal(exitCode, 0);
  const [{ info }] = sent;
  assert.ok(info.type === "internal");
  const text = spec.replaceAll(/\s+/g, " ");
  for (
    const claim of [
      `${units(36n * prices.gas(HIGHEST_GAS))} at today's prices`,
      `${units(value)} at mainnet's prices, of which about ${units(info.value.coins)} comes back`,
    ]
  ) assert.ok(text.includes(claim), `SPEC.md does not say: ${claim}`);
});

Deno.test("the dearest refusal of a withdrawal, after its proof, costs its sender about 0.01 GRAM", async () => {
  const value = prices.gas(300_000n);
  const native = await PoolSandbox.open({ prices: "mainnet" });
  for (const pool of [native, await JettonSandbox.open({ prices: "mainnet" })]) {
    await pool.deposit();
    const refused = await pool.withdraw({ value });
    assert.equal(refused.exitCode, 205);
    const cost = value - sentCoins(refused);
    assert.ok(cost > TON / 125n && cost < TON / 80n, `${cost} nano`);
  }
  says("in a pool of either kind about 0.01 GRAM");
  assert.ok(prices.gas(HIGHEST_GAS) < 3n * TON / 100n);
  says("under 0.03 on the most expensive path");
});

Deno.test("a pool whose notes are all withdrawn pays its storage for 17 years at least, for any size and keys", () => {
  const kind = (keys: bigint) =>
    keys < 4_096n
      ? 7n + (7n * keys < 1_365n + keys ? 7n * keys : 1_365n + keys)
      : 5_461n + 2n * ((keys - 4_096n) / 11n);
  const years = (notes: bigint) => {
    const size = { cells: 90n + 2n * kind(notes), bits: 60_000n + 204n * notes, seconds: YEAR };
    // The deployer paid 2.5, and each withdrawal leaves 0.005.
    return Number((2_500_000_000n + 5_000_000n * notes) * 1_000n / prices.storage(size)) / 1_000;
  };
  let least = { notes: 0n, years: years(0n) };
  for (let notes = 0n; notes <= BigInt(POOL_CAPACITY); notes += notes < 8_192n ? 1n : 1_024n) {
    if (years(notes) < least.years) least = { notes, years: years(notes) };
  }
  assert.ok(least.years > 17 && least.years < 18, `${least.years} years with ${least.notes} notes`);
  says("17 years at least");
  assert.ok(least.notes > 150n && least.notes < 300n, `${least.notes} notes`);
  says(`about ${Math.round(Number(least.notes) / 100) * 100} notes`);
  const full = years(BigInt(POOL_CAPACITY));
  assert.ok(full > 150, `${full} years when it is full`);
  says("more than 150 years");
  assert.ok(5_000_000n * BigInt(POOL_CAPACITY) > 650n * TON);
  says("more than 650 GRAM");
});
