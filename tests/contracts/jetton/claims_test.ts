/** Payouts that the jetton wallet refuses become claims, which anyone may retry. */
import assert from "node:assert/strict";
import { contractConstants } from "../../../testkit/chain/contract_constants.ts";
import { Address, beginCell, toNano } from "@ton/core";
import { opCodes, storeRetryPayout } from "../../../src/core/protocol/messages/pool_messages.ts";
import { storeJettonTransfer } from "../../../src/core/protocol/messages/jetton_messages.ts";
import { assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import { assertRejected } from "../../support/contracts/pool_assertions.ts";
import { mainnetConfig } from "../../../src/localnet/mainnet_config.ts";
import { computeRetryCost } from "../../../src/ton/pool/retry_cost.ts";
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { JettonSandbox, opCodeOf } from "../../../testkit/chain/jetton_sandbox.ts";
import { freshElement, type PriceList } from "../../../testkit/chain/pool_sandbox.ts";
import { bounce } from "../../../testkit/chain/bounced_payout.ts";
import {
  at,
  fromWallet,
  lockWallet,
  manyClaims,
  refusals,
  withClaims,
} from "../../support/contracts/claims.ts";
import { setWalletGate } from "../../support/contract_model/wallet_gate.ts";

const prices = chainPrices(mainnetConfig());

const FEE = 50_000_000n;

async function claimsOf({ pool }: JettonSandbox, after = 0n, max = 64n) {
  const list = (await pool.get("get_claims", after, max)).readTuple();
  return Array.from({ length: list.remaining }, () => {
    const claim = list.readTuple();
    return { id: claim.readBigNumber(), amount: claim.readBigNumber(), destination: claim.readAddress() };
  });
}

for (const prices of ["old", "mainnet"] satisfies PriceList[]) {
  Deno.test(`payouts that a locked wallet refuses become claims, and are paid when it is unlocked (${prices} prices)`, async () => {
    const jettons = await JettonSandbox.open({ prices });
    const { pool } = jettons;
    for (let i = 0; i < 2; i++) assertSucceeded(await jettons.deposit());
    const unlock = await lockWallet(jettons);
    const [recipient, relayer, from] = [at(1), at(2), at(3)];
    const before = await pool.balance();
    const value = await pool.withdrawValue();
    const note = { recipient, relayer, from, value, nullifierHash: freshElement() };
    const outcome = assertSucceeded(await jettons.withdraw(note));
    const claims = await claimsOf(jettons);
    assert.deepEqual(
      claims.map(({ amount, destination }) => [amount, destination.toString()]),
      [[pool.denomination - FEE, recipient.toString()], [FEE, relayer.toString()]],
    );
    assert.equal((await pool.getPoolInfo()).claims, 2);
    assert.deepEqual(
      refusals(jettons, outcome).map(({ kind, claimId, amount }) => [kind, claimId, amount]),
      claims.map(({ id, amount }) => ["payout_claimed", id, amount]),
    );
    // The sender gets back the value of both transfers, less the cost of delivery and the claims' storage.
    const returned = (await pool.chain.getContract(from)).balance;
    assert.ok(returned > toNano("0.15"), `${returned}`);
    assert.ok(
      await pool.balance() >= before + toNano("0.03"),
      "the note's storage and that of both claims is paid",
    );

    // A note that is paid by claims is spent: it cannot be withdrawn again to anyone.
    for (const again of [note, { ...note, recipient: at(4) }]) {
      await assertRejected(pool, "ERR_ALREADY_SPENT", () => jettons.withdraw(again));
    }
    await unlock();
    const held = await pool.balance();
    for (const { id, amount, destination } of claims) {
      assertSucceeded(await pool.send(storeRetryPayout(id, 9n), toNano("0.3"), { from: at(7) }));
      assert.equal(await jettons.balanceOf(destination), amount);
      await assertRejected(pool, "ERR_UNKNOWN_CLAIM", () => pool.send(storeRetryPayout(id), toNano("0.3")));
    }
    assert.deepEqual(await claimsOf(jettons), []);
    assert.equal((await pool.getPoolInfo()).claims, 0);
    assert.equal(await jettons.balanceOf(pool.address), pool.denomination, "the other note's");
    assert.ok(await pool.balance() >= held, "a retry took coins of the pool");
    assert.ok((await pool.chain.getContract(at(7))).balance > toNano("0.1"), "the wallets returned the rest");
  });
}

Deno.test("a retry that is refused again is the same claim again, whoever retries before the honest sender", async () => {
  const jettons = await JettonSandbox.open();
  const { pool, poolWallet, minter } = jettons;
  for (let i = 0; i < 5; i++) assertSucceeded(await jettons.deposit());
  await setWalletGate(pool.chain, poolWallet, minter.walletCode, toNano("0.5"));
  for (const to of [1, 2, 3, 4, 5]) {
    assertSucceeded(await jettons.withdraw({ recipient: at(to), relayer: null, fee: 0n }));
  }
  const claims = await claimsOf(jettons);
  assert.equal(claims.length, 5);
  for (const [i, { id, destination }] of claims.entries()) {
    const before = await pool.balance();
    const attack = () => pool.send(storeRetryPayout(id, 9n), toNano("0.3"), { from: at(8) });
    const payout = storeJettonTransfer({
      queryId: 9n,
      amount: pool.denomination,
      destination,
      responseDestination: at(8),
      forwardAmount: 0n,
      forwardPayload: null,
    });
    for (let i = 0; i < 2; i++) {
      const outcome = assertSucceeded(await attack());
      const retried = beginCell().storeSlice(payout.beginParse()).storeUint(id, 64).endCell();
      assert.ok(outcome.sent[0].body.equals(retried), "a payout whose inline payload is the id");
      const [log] = refusals(jettons, outcome);
      assert.deepEqual([log.kind, log.claimId, log.amount], ["payout_claimed", id, pool.denomination]);
    }
    assert.ok(await pool.balance() >= before, "a refused retry took coins of the pool");
    assert.deepEqual(
      (await claimsOf(jettons)).map(({ id, destination }) => [id, destination.toString()]),
      claims.slice(i).map(({ id, destination }) => [id, destination.toString()]),
    );
    assertSucceeded(await pool.send(storeRetryPayout(id), toNano(1)));
    assert.equal(await jettons.balanceOf(destination), pool.denomination);
  }
  assert.equal((await pool.getPoolInfo()).claims, 0);
  const returned = (await pool.chain.getContract(at(8))).balance;
  assert.ok(returned > toNano("0.2") * 10n, "the value of refused retries came back");
});

Deno.test("a retry that is malformed, names no claim or brings too little is refused by name, and keeps the claim", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  await assertRejected(pool, "ERR_UNKNOWN_CLAIM", () => pool.send(storeRetryPayout(1n), toNano(1)));
  assertSucceeded(await jettons.deposit());
  const unlock = await lockWallet(jettons);
  assertSucceeded(await jettons.withdraw({ relayer: null, fee: 0n }));
  await unlock();
  const [{ id }] = await claimsOf(jettons);
  const body = storeRetryPayout(id);
  const malformed = [
    beginCell().storeUint(opCodes.retry_payout, 32).storeUint(0, 64).storeUint(id, 63).endCell(),
    beginCell().storeSlice(body.beginParse()).storeBit(0).endCell(),
    beginCell().storeSlice(body.beginParse()).storeRef(body).endCell(),
  ];
  for (const each of malformed) await assertRejected(pool, "ERR_MALFORMED", () => pool.send(each, toNano(1)));
  for (const other of [id - 1n, id + 1n, 0n, 2n ** 64n - 1n]) {
    await assertRejected(pool, "ERR_UNKNOWN_CLAIM", () => pool.send(storeRetryPayout(other), toNano(1)));
  }
  await assertRejected(pool, "ERR_INSUFFICIENT_VALUE", () => pool.send(body, toNano("0.1")));
  const least = computeRetryCost({
    gasFee: prices.gas,
    forwardFee: (size, workchain = 0) => prices.forward(workchain, size),
    storageFee: prices.storage,
  });
  await assertRejected(pool, "ERR_INSUFFICIENT_VALUE", () => pool.send(body, least - 1n));
  assert.equal((await claimsOf(jettons)).length, 1);
  assertSucceeded(await pool.send(body, least));
});

Deno.test("a withdrawal is refused while the wallet refuses payouts: two more claims must fit below 256", async () => {
  const jettons = await withClaims(255);
  const { pool } = jettons;
  const nullifierHash = freshElement();
  await assertRejected(
    pool,
    "ERR_PAYOUTS_BLOCKED",
    () => jettons.withdraw({ nullifierHash, root: pool.roots.at(-1) }),
  );
  assert.equal((await pool.get("getIsSpent", nullifierHash)).readBoolean(), false);
  assertSucceeded(await jettons.deposit());
  await jettons.mint(pool.address, 1_000n);
  assertSucceeded(await pool.send(storeRetryPayout(1_000_003n), toNano("0.3")));
  assertSucceeded(await jettons.withdraw({ nullifierHash }));
  assert.equal((await pool.getPoolInfo()).claims, 254);
});

// The wallet is locked while it receives the payout to the refused destination, and unlocked for all others.
Deno.test("a wallet that always refuses one destination lets anyone block withdrawals for good, at the stated cost", async () => {
  const jettons = await withClaims(253);
  const { pool } = jettons;
  const balanceOf = async (address: Address) => (await pool.chain.getContract(address)).balance;
  const costs: bigint[] = [];
  for (const claims of [254, 255]) {
    const before = await balanceOf(pool.user.address);
    const transfer = await jettons.transferMessage();
    assert.ok(transfer.info.type === "internal");
    assertSucceeded(await jettons.deposit());
    const unlock = await lockWallet(jettons);
    const attached = await pool.withdrawValue();
    const from = at(claims);
    // A withdrawal may give its relayer all but one unit, so the payout to the refused destination may be one
    // unit.
    assertSucceeded(
      await jettons.withdraw({ recipient: at(5), relayer: null, fee: 0n, from, value: attached }),
    );
    await unlock();
    const returned = await balanceOf(pool.user.address) - before + await balanceOf(from);
    costs.push(transfer.info.value.coins + attached - returned);
    assert.equal((await pool.getPoolInfo()).claims, claims);
  }
  const coins = Math.ceil(255 * Number(costs.reduce((x, y) => x > y ? x : y)) / 1e9);
  for (const path of ["contracts/v1/SPEC.md", "docs/security.md"]) {
    const text = (await Deno.readTextFile(path)).replaceAll(/\s+/g, " ");
    assert.ok(text.includes(`255 such withdrawals cost about ${coins} GRAM`), `${path}: ${coins}`);
  }
  await assertRejected(pool, "ERR_PAYOUTS_BLOCKED", () => jettons.withdraw({ recipient: at(1) }));
  const unlock = await lockWallet(jettons);
  assertSucceeded(await pool.send(storeRetryPayout((await claimsOf(jettons))[0].id), toNano("0.3")));
  await unlock();
  assert.equal((await pool.getPoolInfo()).claims, 255, "a retry gives a claim again");
  await assertRejected(pool, "ERR_PAYOUTS_BLOCKED", () => jettons.withdraw({ recipient: at(1) }));
});

Deno.test("claims survive deposits through two generations of roots, and are listed by pages of 64", async () => {
  const jettons = await withClaims(130);
  const expected = [...manyClaims(130).keys()].sort((a, b) => a < b ? -1 : 1);
  for (let i = 0; i < 70; i++) assertSucceeded(await jettons.deposit());
  const ids: bigint[] = [];
  for (let page = await claimsOf(jettons); page.length > 0; page = await claimsOf(jettons, ids.at(-1))) {
    assert.ok(page.length <= 64);
    ids.push(...page.map(({ id }) => id));
  }
  assert.deepEqual(ids, expected);
  assert.equal((await claimsOf(jettons, 0n, 3n)).length, 3);
  assert.equal((await claimsOf(jettons, 0n, 1000n)).length, 64);
});

const RETRY_GAS = (await contractConstants(1))("GAS_HIGHEST_RETRY");

Deno.test("no retry takes more gas than GAS_HIGHEST_RETRY, with three percent of room", async () => {
  let highest = 0n;
  for (const count of [1, 255, 3072]) {
    const jettons = await withClaims(count);
    await jettons.mint(jettons.pool.address, 10_000n);
    for (const id of [...manyClaims(count).keys()].filter((_, i) => i % 512 === 0)) {
      const { gasUsed } = assertSucceeded(await jettons.pool.send(storeRetryPayout(id), toNano("0.3")));
      if (gasUsed > highest) highest = gasUsed;
    }
  }
  assert.ok(highest * 103n <= RETRY_GAS * 100n, `the most expensive took ${highest}`);
  assert.ok(highest * 106n > RETRY_GAS * 100n, `the bound is loose: the most expensive took ${highest}`);
});

Deno.test("a claim leaves its storage in the pool, and nothing else of the value that came back", async () => {
  for (const [count, workchain] of [[0, 0], [1, 0], [300, 0], [3071, 0], [3072, 0], [0, -1]]) {
    const jettons = await withClaims(count);
    const { pool } = jettons;
    const body = bounce(storeJettonTransfer({
      queryId: 1n,
      amount: toNano(1),
      destination: at(1),
      responseDestination: new Address(workchain, at(6).hash),
      forwardAmount: 0n,
      forwardPayload: null,
    }));
    const outcome = assertSucceeded(await pool.send(body, toNano("0.1"), fromWallet(jettons)));
    const kept = outcome.balanceAfter - outcome.balanceBefore - toNano("0.01");
    const [{ info, body: excess }] = outcome.sent;
    assert.ok(info.type === "internal" && !info.bounce && info.dest.hash.equals(at(6).hash));
    assert.equal(excess.beginParse().loadUint(32), opCodes.excesses);
    assert.ok(kept >= 0n && kept <= prices.gas(300n), `${count} claims: ${kept} kept beside`);
  }
});

Deno.test("a wallet that was upgraded to ask for more pays at once if the sender adds value, split evenly", async () => {
  for (const relayed of [false, true]) {
    const jettons = await JettonSandbox.open();
    const { pool, poolWallet, minter } = jettons;
    const parties = relayed ? { relayer: at(8), fee: 1_000_000n } : { relayer: null, fee: 0n };
    for (let i = 0; i < 2; i++) assertSucceeded(await jettons.deposit());
    const quoted = await pool.withdrawValue();
    const asked = toNano("0.5");
    assert.ok(await setWalletGate(pool.chain, poolWallet, minter.walletCode, asked));

    // The quote does not know the wallet's new price: the payouts become claims, and no note is lost.
    assertSucceeded(await jettons.withdraw({ ...parties, recipient: at(5), value: quoted }));
    const transfers = relayed ? 2 : 1;
    assert.equal((await pool.getPoolInfo()).claims, transfers);
    assert.equal(await jettons.balanceOf(at(5)), 0n);

    const before = await pool.balance();
    const value = quoted + BigInt(transfers) * asked;
    const outcome = assertSucceeded(await jettons.withdraw({ ...parties, recipient: at(6), value }));
    const carried = outcome.sent.filter(({ body }) => opCodeOf(body) === opCodes.transfer).map(({ info }) =>
      info.type === "internal" ? info.value.coins : 0n
    );
    assert.equal(carried.length, transfers);
    assert.equal(new Set(carried).size, 1, "split evenly");
    assert.ok(carried[0] >= asked);
    assert.equal(await jettons.balanceOf(at(6)), pool.denomination - parties.fee);
    if (relayed) assert.equal(await jettons.balanceOf(at(8)), parties.fee);
    assert.equal((await pool.getPoolInfo()).claims, transfers, "no further claim");
    assert.ok(await pool.balance() >= before);

    // A retry with more value pays the claim too.
    for (const { id } of await claimsOf(jettons)) {
      assertSucceeded(await pool.send(storeRetryPayout(id), asked + toNano("0.2")));
    }
    assert.equal(await jettons.balanceOf(at(5)), pool.denomination - parties.fee);
  }
});
