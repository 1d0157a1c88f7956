/**
 * The lifetime of an unused pool's jetton wallet, and what happens to a withdrawal after it. The documents
 * quote these figures.
 */
import assert from "node:assert/strict";
import { Address, Cell } from "@ton/core";
import { mainnetConfig } from "../../../src/localnet/mainnet_config.ts";
import tonweb from "../../../testkit/vectors/tonweb_jetton.json" with { type: "json" };
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";

const YEAR = 31_557_600;
/** The due storage, in nano, above which the chain freezes an account. */
const FREEZE_LIMIT = 100_000_000n;
const prices = chainPrices(mainnetConfig());
const wallets = {
  "assets-sdk's": {},
  "TonWeb's": { walletCode: Cell.fromBase64(tonweb.wallet.boc) },
};
const [spec, security] = await Promise.all(
  ["contracts/SPEC.md", "docs/security.md"].map(async (path) =>
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
