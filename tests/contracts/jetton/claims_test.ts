/** Payouts that the pool's jetton wallet refuses: they become claims that anyone may retry, and no note is burned. */
import assert from "node:assert/strict";
import { Address, beginCell, type Cell, toNano } from "@ton/core";
import { createShardAccount } from "@ton/sandbox";
import {
  loadPoolLog,
  opCodes,
  type RefusedPayoutLog,
  storeRetryPayout,
} from "../../../src/core/protocol/messages.ts";
import { storeJettonTransfer } from "../../../src/core/protocol/jetton_messages.ts";
import { assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import { assertRejected, assertValueKept } from "../../support/contracts/pool_assertions.ts";
import { mainnetConfig } from "../../../src/localnet/mainnet_config.ts";
import { computeRetryCost } from "../../../src/ton/pool/retry_cost.ts";
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import type { Claim } from "../../../testkit/chain/pool_storage.ts";
import { freshElement, type Outcome, type PriceList } from "../../../testkit/chain/pool_sandbox.ts";

const prices = chainPrices(mainnetConfig());
const FEE = 50_000_000n;
const at = (byte: number) => new Address(0, Buffer.alloc(32, byte));

/** Replaces the wallet by a contract that throws; the returned function restores the wallet. */
async function lockWallet({ pool: { chain }, poolWallet }: JettonSandbox): Promise<() => Promise<void>> {
  const before = (await chain.getContract(poolWallet)).account;
  const code = beginCell().storeUint(0xf230, 16).endCell(); // THROW 48
  await chain.setShardAccount(
    poolWallet,
    createShardAccount({ address: poolWallet, code, data: code, balance: toNano(1) }),
  );
  return () => chain.setShardAccount(poolWallet, before);
}

async function claimsOf({ pool }: JettonSandbox, after = 0n, max = 64n) {
  const list = (await pool.get("get_claims", after, max)).readTuple();
  return Array.from({ length: list.remaining }, () => {
    const claim = list.readTuple();
    return { id: claim.readBigNumber(), amount: claim.readBigNumber(), destination: claim.readAddress() };
  });
}

/** The logs of refused payouts in all transactions of the pool. */
function refusals(
  { pool }: JettonSandbox,
  outcome: Outcome,
): RefusedPayoutLog[] {
  const account = BigInt(`0x${pool.address.hash.toString("hex")}`);
  return outcome.transactions.filter(({ address }) => address === account).flatMap(({ outMessages }) =>
    outMessages.values().filter(({ info }) => info.type === "external-out").map(({ body }) =>
      loadPoolLog(body)
    )
  ).filter((log): log is RefusedPayoutLog => log !== undefined && log.kind.startsWith("payout"));
}

for (const prices of ["old", "mainnet"] satisfies PriceList[]) {
  Deno.test(`payouts that a locked wallet refuses become claims, and are paid when it is unlocked (${prices} prices)`, async () => {
    const jettons = await JettonSandbox.open({ prices });
    const { pool } = jettons;
    assertSucceeded(await jettons.deposit());
    const unlock = await lockWallet(jettons);
    const [recipient, relayer, from] = [at(1), at(2), at(3)];
    const before = await pool.balance();
    const value = await pool.withdrawValue();
    const outcome = assertSucceeded(await jettons.withdraw({ recipient, relayer, from, value }));
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
    // The sender gets the value of both transfers back, less what the way cost and the claims' storage.
    const returned = (await pool.chain.getContract(from)).balance;
    assert.ok(returned > toNano("0.15"), `${returned}`);
    assert.ok(
      await pool.balance() >= before + toNano("0.03"),
      "the note's storage and that of both claims is paid",
    );

    await unlock();
    const held = await pool.balance();
    for (const { id, amount, destination } of claims) {
      assertSucceeded(await pool.send(storeRetryPayout(id, 9n), toNano("0.3"), { from: at(7) }));
      assert.equal(await jettons.balanceOf(destination), amount);
      await assertRejected(pool, "ERR_UNKNOWN_CLAIM", () => pool.send(storeRetryPayout(id), toNano("0.3")));
    }
    assert.deepEqual(await claimsOf(jettons), []);
    assert.equal((await pool.getPoolInfo()).claims, 0);
    assert.equal(await jettons.balanceOf(pool.address), 0n);
    assert.ok(await pool.balance() >= held, "a retry took coins of the pool");
    assert.ok((await pool.chain.getContract(at(7))).balance > toNano("0.1"), "the wallets returned the rest");
  });
}

Deno.test("a retry that is refused again is a claim again, of the same amount for the same account", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  const unlock = await lockWallet(jettons);
  assertSucceeded(await jettons.withdraw({ recipient: at(1), relayer: null, fee: 0n }));
  for (let i = 0; i < 3; i++) {
    const [claim, ...others] = await claimsOf(jettons);
    assert.deepEqual([claim.amount, claim.destination.toString(), others], [
      pool.denomination,
      at(1).toString(),
      [],
    ]);
    const before = await pool.balance();
    assertSucceeded(await pool.send(storeRetryPayout(claim.id), toNano("0.3"), { from: at(8) }));
    assert.ok(await pool.balance() >= before, "a refused retry took coins of the pool");
    assert.ok(
      (await pool.chain.getContract(at(8))).balance > toNano("0.2") * BigInt(i + 1),
      "the value came back",
    );
  }
  await unlock();
  const [{ id }] = await claimsOf(jettons);
  assertSucceeded(await pool.send(storeRetryPayout(id), toNano("0.3")));
  assert.equal(await jettons.balanceOf(at(1)), pool.denomination);
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

const manyClaims = (count: number) =>
  new Map<bigint, Claim>(
    Array.from(
      { length: count },
      (_, i) => [BigInt(i + 1) * 1_000_003n, { amount: BigInt(i + 1), destination: at(5) }],
    ),
  );

async function withClaims(count: number): Promise<JettonSandbox> {
  const jettons = await JettonSandbox.open();
  const jetton = { master: jettons.minter.address, wallet: jettons.poolWallet, claims: manyClaims(count) };
  await jettons.setState({ deposits: 40, withdrawals: 0, jetton });
  return jettons;
}

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

Deno.test("a payout refused when there is no room for its claim is logged as lost", async () => {
  const jettons = await withClaims(3072);
  const { pool } = jettons;
  const outcome = assertSucceeded(
    await pool.send(bounce(payout(at(1), 77n)), toNano("0.1"), fromWallet(jettons)),
  );
  assert.equal((await pool.getPoolInfo()).claims, 3072);
  const [lost] = refusals(jettons, outcome);
  assert.deepEqual([lost.kind, lost.amount, lost.destination.toString()], [
    "payout_lost",
    77n,
    at(1).toString(),
  ]);
});

const fromWallet = ({ poolWallet: from }: JettonSandbox) => ({ from, bounce: false, bounced: true });
const payout = (destination: Address, amount: bigint) =>
  storeJettonTransfer({
    queryId: 1n,
    amount,
    destination,
    responseDestination: at(6),
    forwardAmount: 0n,
    forwardPayload: null,
  });

/** The body of a rich bounce of `original`. */
function bounce(original: Cell, { prefix = 0xfffffffe, lt = 12345n } = {}): Cell {
  const info = beginCell().storeCoins(toNano("0.1")).storeBit(0).storeUint(lt, 64).storeUint(0, 32).endCell();
  return beginCell().storeUint(prefix, 32).storeRef(original).storeRef(info).storeUint(0, 8).storeInt(48, 32)
    .storeBit(1).storeUint(1000, 32).storeUint(10, 32).endCell();
}

Deno.test("bounced messages that are no payout of this pool are donations: no claim can be forged", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  const original = payout(at(1), toNano(5));
  const genuine = bounce(original);
  const cut = (bits: number) =>
    beginCell().storeBits(genuine.bits.substring(0, bits)).storeRef(genuine.refs[0]).storeRef(genuine.refs[1])
      .endCell();
  const bodies: [string, Cell][] = [
    ["the prefix of a plain bounce", bounce(original, { prefix: 0xffffffff })],
    ["no body", beginCell().endCell()],
    ["the prefix alone", cut(32)],
    ["a cut phase", cut(36)],
    ["without the original", beginCell().storeBits(genuine.bits).endCell()],
    [
      "the original of another op",
      bounce(beginCell().storeUint(opCodes.provide_wallet_address, 32).endCell()),
    ],
    ["a transfer that is cut", bounce(beginCell().storeBits(original.bits.substring(0, 200)).endCell())],
    [
      "a transfer with a payload",
      bounce(beginCell().storeSlice(original.beginParse()).storeRef(original).endCell()),
    ],
    [
      "a returned deposit",
      bounce(storeJettonTransfer({
        queryId: 1n,
        amount: 5n,
        destination: at(1),
        responseDestination: at(1),
        forwardAmount: 1n,
        forwardPayload: beginCell().storeUint(opCodes.deposit_refused, 32).storeUint(103, 16).endCell(),
      })),
    ],
  ];
  for (const [what, body] of bodies) {
    await assertValueKept(pool, () => pool.send(body, toNano("0.1"), fromWallet(jettons)));
    assert.equal((await pool.getPoolInfo()).claims, 0, what);
  }
  for (const from of [pool.user.address, jettons.minter.address, jettons.walletOf(pool.user.address)]) {
    await assertValueKept(
      pool,
      () => pool.send(genuine, toNano("0.1"), { from, bounce: false, bounced: true }),
    );
  }
  // A message that imitates a bounce.
  await assertValueKept(pool, () => pool.send(genuine, toNano("0.1"), { from: jettons.poolWallet }));
  assert.equal((await pool.getPoolInfo()).claims, 0);
  assertSucceeded(await pool.send(genuine, toNano("0.1"), fromWallet(jettons)));
  assert.equal((await pool.getPoolInfo()).claims, 1, "the genuine one is a claim");
});

Deno.test("the return of a refused deposit that bounces is no claim, so nobody can fill them", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  const transfer = await jettons.transferMessage({ amount: 1n });
  // The wallet is locked after it has notified the pool, and refuses the way back.
  const unlock = await lockWallet(jettons);
  const notification = beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64).storeCoins(
    1n,
  )
    .storeAddress(pool.user.address).storeMaybeRef(transfer.body.refs[0]).endCell();
  await pool.send(notification, toNano("0.3"), { from: jettons.poolWallet, bounce: false });
  assert.equal((await pool.getPoolInfo()).claims, 0);
  await unlock();
});

const fees = await Deno.readTextFile(new URL("../../../contracts/fees_jetton.tolk", import.meta.url));
const RETRY_GAS = BigInt(/^const GAS_HIGHEST_RETRY = (\d+)/m.exec(fees)![1]);

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
