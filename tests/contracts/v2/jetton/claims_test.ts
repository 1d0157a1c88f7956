/** Payouts that the wallet of a version 2 jetton pool refuses become claims, which anyone may retry. */
import assert from "node:assert/strict";
import { beginCell, toNano } from "@ton/core";
import { storeRetryPayout } from "../../../../src/core/protocol/messages/pool_messages.ts";
import { v2OpCodes } from "../../../../src/core/protocol/v2/messages.ts";
import { manyClaims } from "../../../../testkit/chain/v2/claims.ts";
import { V2JettonSandbox } from "../../../../testkit/chain/v2/jetton_sandbox.ts";
import { decodeLedger, decodeV2PoolData } from "../../../../src/ton/pool/v2/pool_state.ts";
import { bounce, payout } from "../../../../testkit/chain/bounced_payout.ts";
import { at, fromWallet, lockWallet } from "../../../support/contracts/claims.ts";
import { setWalletGate } from "../../../support/contract_model/wallet_gate.ts";
import {
  assertAccepted,
  assertRefused,
  assertStateMirrored,
} from "../../../support/contracts/v2_assertions.ts";

const settled = { deposits: 60, settled: 48, commitment: () => 1n, roots: [5n] };
const FEE = 50_000_000n;

async function claimsOf({ pool }: V2JettonSandbox) {
  return [...decodeLedger(decodeV2PoolData(await pool.data()).roots).claims].sort(([a], [b]) =>
    a < b ? -1 : 1
  )
    .map(([id, claim]) => ({ id, ...claim }));
}

Deno.test("a locked wallet burns no note: a batch's payouts become claims, and are paid when it is unlocked", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool, jettons } = sandbox;
  await sandbox.setState(settled);
  const unlock = await lockWallet(jettons);
  const changes = Array.from({ length: 12 }, (_, i) => ({ recipient: at(i + 1), relayer: at(40) }));
  assertAccepted(await sandbox.withdrawMany(changes, { value: toNano(4) }));
  const claims = await claimsOf(sandbox);
  assert.deepEqual(
    claims.map(({ amount, destination }) => [amount, destination.toString()]),
    [
      ...changes.map(({ recipient }) => [pool.denomination - FEE, recipient.toString()]),
      [12n * FEE, at(40).toString()],
    ],
  );
  assert.equal((await pool.getPoolInfo()).claims, 13);
  await assertStateMirrored(sandbox);
  await unlock();
  for (const { id, amount, destination } of claims) {
    const before = await pool.balance();
    assertAccepted(await sandbox.send(storeRetryPayout(id, 9n), toNano("0.3"), { from: at(60) }));
    assert.equal(await sandbox.balanceOf(destination), amount);
    assert.ok(await pool.balance() >= before, "a retry took coins of the pool");
    await assertRefused(
      sandbox,
      "ERR_UNKNOWN_CLAIM",
      () => sandbox.send(storeRetryPayout(id), toNano("0.3")),
    );
  }
  assert.deepEqual(await claimsOf(sandbox), []);
});

Deno.test("an attacker who makes the wallet refuse a claim before each honest retry does not rename the claim", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool, jettons } = sandbox;
  await sandbox.setState(settled);
  await setWalletGate(pool.chain, jettons.poolWallet, jettons.minter.walletCode, toNano("0.5"));
  for (const to of [1, 2, 3, 4, 5]) {
    assertAccepted(await sandbox.withdraw({ recipient: at(to), relayer: null, fee: 0n }));
  }
  const claims = await claimsOf(sandbox);
  for (const { id, destination, amount } of claims) {
    for (let i = 0; i < 2; i++) {
      assertAccepted(await sandbox.send(storeRetryPayout(id), toNano("0.3"), { from: at(66) }));
    }
    assert.deepEqual((await claimsOf(sandbox)).find((claim) => claim.id === id)?.amount, amount);
    assertAccepted(await sandbox.send(storeRetryPayout(id), toNano(1), { from: at(60) }));
    assert.equal(await sandbox.balanceOf(destination), amount);
  }
  assert.deepEqual(await claimsOf(sandbox), []);
  assert.equal((await pool.getPoolInfo()).claims, 0);
});

Deno.test("withdrawals stop at the bound: two claims of room for each, alone and in a batch of any size", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const cases = Array.from({ length: 12 }, (_, i) => i + 1).flatMap((count) =>
    [[count, 256 - 2 * count, true], [count, 257 - 2 * count, false]] as const
  );
  for (const [count, claims, accepted] of cases) {
    await sandbox.setState(settled, undefined, manyClaims(claims));
    const attempt = () =>
      count === 1
        ? sandbox.withdraw({ value: toNano(1) })
        : sandbox.withdrawMany(Array(count).fill({}), { value: toNano(4) });
    if (accepted) assertAccepted(await attempt(), `${count} with ${claims} claims`);
    else await assertRefused(sandbox, "ERR_PAYOUTS_BLOCKED", attempt, `${count} with ${claims} claims`);
  }
});

Deno.test("a pool without room for claims refuses a withdrawal before it reads it, and pays a batch of one with just enough", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  await sandbox.setState(settled, undefined, manyClaims(255));
  const malformed = [
    beginCell().storeUint(v2OpCodes.withdraw2, 32).endCell(),
    beginCell().storeUint(v2OpCodes.withdraw_many, 32).endCell(),
  ];
  for (const body of malformed) {
    await assertRefused(sandbox, "ERR_PAYOUTS_BLOCKED", () => sandbox.send(body, toNano(1)));
  }
  await sandbox.setState(settled, undefined, manyClaims(254));
  for (const body of malformed) {
    await assertRefused(sandbox, "ERR_MALFORMED", () => sandbox.send(body, toNano(1)));
  }
  assertAccepted(await sandbox.withdrawMany([{}], { value: toNano(1) }));
});

Deno.test("before the discovery, a bounced message is a donation", async () => {
  const sandbox = await V2JettonSandbox.openJetton({ discovered: false });
  const { pool, jettons } = sandbox;
  const data = await pool.data();
  for (const from of [jettons.minter.address, jettons.poolWallet]) {
    const outcome = await sandbox.send(bounce(payout(at(1), 5n)), toNano("0.1"), {
      from,
      bounce: false,
      bounced: true,
    });
    assert.deepEqual([outcome.exitCode, outcome.actionCode, outcome.sent.length], [0, 0, 0]);
    assert.ok((await pool.data()).equals(data));
  }
});

Deno.test("the claim 3,072 is stored, and a payout refused after it is logged as lost", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  await sandbox.setState(settled, undefined, manyClaims(3071));
  const refuse = (lt: bigint) =>
    sandbox.send(bounce(payout(at(2), 78n), { lt }), toNano("0.1"), fromWallet(sandbox.jettons));
  const kinds = async (lt: bigint) => assertAccepted(await refuse(lt)).logs.map((log) => log?.kind);
  assert.deepEqual(await kinds(9n), ["payout_claimed"]);
  assert.deepEqual(await kinds(10n), ["payout_lost"]);
  assert.equal((await sandbox.pool.getPoolInfo()).claims, 3072);
});

Deno.test("bounces that are not from the wallet, truncated or of another message are no claims", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool, jettons } = sandbox;
  await sandbox.setState(settled);
  const genuine = bounce(payout(at(1), toNano(5)));
  const cut = (bits: number) =>
    beginCell().storeBits(genuine.bits.substring(0, bits)).storeRef(genuine.refs[0]).storeRef(genuine.refs[1])
      .endCell();
  const forged = [
    [bounce(payout(at(1), 5n), { prefix: 0xffffffff }), fromWallet(jettons)],
    [cut(32), fromWallet(jettons)],
    [cut(36), fromWallet(jettons)],
    [bounce(beginCell().storeBits(payout(at(1), 5n).bits.substring(0, 200)).endCell()), fromWallet(jettons)],
    [genuine, { from: pool.user.address, bounce: false, bounced: true }],
    [genuine, { from: jettons.minter.address, bounce: false, bounced: true }],
    [genuine, { from: jettons.poolWallet }],
  ] as const;
  for (const [body, sending] of forged) {
    const outcome = await sandbox.send(body, toNano("0.1"), sending);
    assert.deepEqual([outcome.exitCode, outcome.sent.length], [0, 0], "a donation");
    assert.equal((await pool.getPoolInfo()).claims, 0);
  }
  assertAccepted(await sandbox.send(genuine, toNano("0.1"), fromWallet(jettons)));
  assert.equal((await pool.getPoolInfo()).claims, 1);
});
