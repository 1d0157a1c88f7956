/**
 * The lifetime of an unused pool's jetton wallet, and what happens to a withdrawal after it. The documents
 * quote these figures.
 */
import assert from "node:assert/strict";
import { Address, Cell } from "@ton/core";
import { internal } from "@ton/sandbox";
import { storeDiscoverJettonWallet } from "../../../src/core/protocol/messages/pool_messages.ts";
import { mainnetConfig } from "../../../src/localnet/mainnet_config.ts";
import { maxPoolSize } from "../../../src/ton/pool/pool_size.ts";
import { jettonPoolInit } from "../../../src/ton/pool/state_init.ts";
import tonweb from "../../../testkit/vectors/tonweb_jetton.json" with { type: "json" };
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import { freshElement } from "../../../testkit/chain/pool_sandbox.ts";
import { SetModel } from "../../../testkit/chain/pool_storage.ts";
import { trapdoorJettonCode } from "../../../testkit/chain/trapdoor_keys.ts";

const YEAR = 31_557_600;
/** The due storage, in nano, above which the chain freezes an account. */
const FREEZE_LIMIT = 100_000_000n;
const prices = chainPrices(mainnetConfig());
const wallets = {
  "assets-sdk's": {},
  "TonWeb's": { walletCode: Cell.fromBase64(tonweb.wallet.boc) },
};
const [spec, security] = await Promise.all(
  ["contracts/v1/SPEC.md", "docs/security.md"].map(async (path) =>
    (await Deno.readTextFile(path)).replaceAll(/\s+/g, " ")
  ),
);

/** Opens a pool with one note. Its wallet is as the deposit left it. */
async function idle(jetton: typeof wallets[keyof typeof wallets]) {
  const jettons = await JettonSandbox.open({ jetton });
  assertSucceeded(await jettons.deposit());
  const wallet = await jettons.pool.chain.getContract(jettons.poolWallet);
  const { cells, bits } = wallet.account.account!.storageStats.used;
  return { jettons, wallet, perYear: prices.storage({ cells, bits, seconds: BigInt(YEAR) }) };
}

async function claimsOf({ pool }: JettonSandbox) {
  const list = (await pool.get("get_claims", 0n, 64n)).readTuple();
  return Array.from({ length: list.remaining }, () => {
    const claim = list.readTuple().skip(1);
    return [claim.readBigNumber(), claim.readAddress().toString()];
  });
}

Deno.test("after one deposit the pool's wallet has storage for as long as the documents say, and freezes as late", async () => {
  const years = { coins: Infinity, freeze: Infinity, debt: Infinity };
  for (const jetton of Object.values(wallets)) {
    const { wallet: { balance }, perYear } = await idle(jetton);
    const lasts = (nano: bigint) => Number(nano * 100n / perYear) / 100;
    years.coins = Math.min(years.coins, lasts(balance));
    years.freeze = Math.min(years.freeze, lasts(balance + FREEZE_LIMIT));
    years.debt = Math.min(years.debt, lasts(FREEZE_LIMIT));
  }
  const [coins, freeze, debt] = [years.coins, years.freeze, years.debt].map(Math.floor);
  for (const claim of [`${coins} years`, `${debt} more`, `${freeze} in all`]) {
    assert.ok(spec.includes(claim), `SPEC.md does not say: ${claim}`);
  }
  assert.ok(security.includes(`${freeze} years after a single deposit`), `${freeze}`);
});

for (const [whose, jetton] of Object.entries(wallets)) {
  Deno.test(`${whose} wallet without coins pays while it owes less than 0.1; once it is frozen, the payout becomes a claim`, async () => {
    for (const paid of [true, false]) {
      const { jettons, wallet, perYear } = await idle(jetton);
      const { pool } = jettons;
      wallet.balance = 0n;
      const limit = Number(FREEZE_LIMIT * BigInt(YEAR) / perYear);
      pool.chain.now! += Math.floor(limit * (paid ? 0.99 : 1.01));
      await pool.setState({ balance: 50_000_000_000n });
      const recipient = new Address(0, Buffer.alloc(32, 0x71));
      assertSucceeded(await jettons.withdraw({ recipient, fee: 0n }));
      assert.equal((await pool.getPoolInfo()).withdrawals, 1);
      assert.equal(await jettons.balanceOf(recipient), paid ? pool.denomination : 0n);
      assert.deepEqual(await claimsOf(jettons), paid ? [] : [[pool.denomination, recipient.toString()]]);
      const { accountState } = await pool.chain.getContract(jettons.poolWallet);
      assert.equal(accountState?.type, paid ? "active" : "frozen");
    }
  });
}

/** The due storage, in nano, above which a frozen account is deleted by its next message. */
const DELETE_LIMIT = 1_000_000_000n;
const NOTES = 600;

/** Opens a pool without coins, with 600 deposits and 10 notes that are not withdrawn, that owes `debt` nano. */
async function neglected(debt: bigint) {
  const jettons = await JettonSandbox.open({ owner: "burned" });
  const { pool } = jettons;
  const [commitments, nullifiers] = [new SetModel(), new SetModel()];
  while (commitments.size < NOTES) commitments.add(freshElement() << 3n);
  while (nullifiers.size < NOTES - 10) nullifiers.add(freshElement() << 3n);
  await jettons.setState({ deposits: NOTES, withdrawals: NOTES - 10, commitments, nullifiers, owner: null });
  const { code, data } = await stateOf(jettons);
  await pool.setState({ balance: 0n });
  const { cells, bits } = (await pool.chain.getContract(pool.address)).account.account!.storageStats.used;
  const perYear = prices.storage({ cells, bits, seconds: BigInt(YEAR) });
  pool.chain.now! += Number(debt * BigInt(YEAR) / perYear);
  return { jettons, init: { code, data } };
}

async function stateOf({ pool }: JettonSandbox) {
  const { accountState } = await pool.chain.getContract(pool.address);
  assert.ok(accountState?.type === "active");
  return { code: accountState.state.code!, data: accountState.state.data! };
}

const bounces = { bounce: true, value: 10_000_000_000n };
const credits = (value: bigint) => ({ bounce: false, value: value * 10_000_000n });
const withState = (value: bigint) => ({ ...credits(value), state: true });
/** For a debt in hundredths of a coin: messages in hundredths, and the account's state after each. */
const NEGLECT: [debt: bigint, ...messages: [typeof bounces & { state?: boolean }, string][]][] = [
  [9n, [bounces, "active"], [credits(100n), "active"]],
  [50n, [credits(51n), "active"]],
  [50n, [credits(30n), "frozen"], [credits(100n), "frozen"], [withState(1n), "active"]],
  [50n, [bounces, "frozen"], [bounces, "frozen"], [bounces, "frozen"], [withState(51n), "active"]],
  [50n, [bounces, "frozen"], [withState(30n), "frozen"], [withState(51n), "active"]],
  [150n, [credits(151n), "active"]],
  [500n, [credits(501n), "active"]],
  [150n, [bounces, "frozen"], [bounces, "deleted"]],
  [150n, [bounces, "frozen"], [withState(151n), "active"]],
  [150n, [bounces, "frozen"], [credits(151n), "frozen"], [bounces, "frozen"], [withState(1n), "active"]],
  [150n, [bounces, "frozen"], [withState(49n), "deleted"]],
  [150n, [credits(30n), "frozen"], [credits(10n), "deleted"]],
];
for (const [debt, ...messages] of NEGLECT) {
  const text = messages.map(([{ bounce, value, state }, then]) =>
    `${bounce ? "a bounceable message" : `${Number(value) / 1e9} without bounce`}${
      state ? " and the state" : ""
    }: ${then}`
  );
  Deno.test(`a jetton pool that owes ${Number(debt) / 100} for storage. ${text.join("; ")}`, async () => {
    const { jettons, init } = await neglected(debt * 10_000_000n);
    const { pool } = jettons;
    const from = pool.user.address;
    for (const [{ bounce, value, state }, then] of messages) {
      const stateInit = state ? init : undefined;
      const body = Cell.EMPTY;
      await pool.chain.sendMessage(internal({ from, to: pool.address, value, bounce, stateInit, body }));
      const { accountState } = await pool.chain.getContract(pool.address);
      assert.equal(accountState?.type ?? "deleted", then, `${value}`);
    }
    if (messages.at(-1)![1] !== "active") return;
    assert.ok((await stateOf(jettons)).data.equals(init.data));
    assertSucceeded(await jettons.withdraw({ fee: 0n }));
  });
}

Deno.test("a pool that the network deleted is deployed again, empty, by anyone, and owns the same jettons", async () => {
  const { jettons } = await neglected(DELETE_LIMIT * 2n);
  const { pool } = jettons;
  const before = await jettons.balanceOf(pool.address);
  assert.equal(before, 10n * pool.denomination);
  const message = { from: pool.user.address, to: pool.address, ...bounces, body: Cell.EMPTY };
  for (let i = 0; i < 2; i++) await pool.chain.sendMessage(internal(message));
  const { denomination } = pool;
  const init = jettonPoolInit({ denomination, owner: null, jettonMaster: jettons.minter.address });
  const stateInit = { code: await trapdoorJettonCode(), data: init.data };
  await pool.chain.sendMessage(internal({ ...message, bounce: false, stateInit }));
  await pool.send(storeDiscoverJettonWallet(), 200_000_000n);
  const { deposits, withdrawals, jettonWallet } = await pool.getPoolInfo();
  assert.deepEqual([deposits, withdrawals], [0, 0]);
  assert.ok(jettonWallet?.equals(jettons.poolWallet));
  assert.equal(await jettons.balanceOf(pool.address), before);
  assert.notEqual((await jettons.withdraw({ fee: 0n })).exitCode, 0);
});

Deno.test("the documents say how soon a pool of each size can be deleted", async () => {
  const texts = await Promise.all(
    ["contracts/v1/SPEC.md", "contracts/v2/SPEC.md", "docs/operating.md"].map(async (path) =>
      (await Deno.readTextFile(path)).replaceAll(/\s+/g, " ")
    ),
  );
  const older = chainPrices("default");
  const [today, before] = [prices, older].map((list) => (notes: number, version: 1 | 2 = 1) => {
    const counts = { assetKind: "jetton", deposits: notes, withdrawals: notes, claims: 0, version } as const;
    const years = Number(DELETE_LIMIT) /
      Number(list.storage({ ...maxPoolSize(counts), seconds: BigInt(YEAR) }));
    return years > 0.3 ? `${Math.floor(years * 10) / 10} years` : `${Math.floor(years * 365.25)} days`;
  });
  assert.ok(
    texts[0].includes(
      `A pool owes 1 at the earliest ${today(200)} after its balance is spent with 200 notes, ${
        today(1_000)
      } with ` +
        `1,000, ${today(5_000)} with 5,000, and ${
          today(131_072)
        } with 131,072; at the earlier, sixfold prices after ` +
        `${before(200)}, ${before(1_000)}, ${before(5_000)} and ${before(131_072)}.`,
    ),
    [200, 1_000, 5_000, 131_072].map((notes) => `${today(notes)} ${before(notes)}`).join(),
  );
  assert.ok(texts[1].includes(
    `owes 1 at the earliest ${today(1, 2)} after its balance is spent, or ${
      before(1, 2)
    } at the older prices`,
  ));
  assert.ok(texts[2].includes(`within ${today(131_072)} at the earliest`));
});
