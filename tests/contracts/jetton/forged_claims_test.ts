/** Messages that resemble refused payouts: they can neither forge nor remove a claim. */
import assert from "node:assert/strict";
import { beginCell, type Builder, type Cell, toNano } from "@ton/core";
import { opCodes } from "../../../src/core/protocol/messages/pool_messages.ts";
import { storeJettonTransfer } from "../../../src/core/protocol/messages/jetton_messages.ts";
import { assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import { assertValueKept } from "../../support/contracts/pool_assertions.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import { bounce, payout } from "../../../testkit/chain/bounced_payout.ts";
import { at, fromWallet, lockWallet, refusals, withClaims } from "../../support/contracts/claims.ts";

Deno.test("the claim 3,072 is stored, and a payout refused after it is logged as lost", async () => {
  const jettons = await withClaims(3071);
  const { pool } = jettons;
  const last = assertSucceeded(
    await pool.send(bounce(payout(at(2), 78n), { lt: 9n }), toNano("0.1"), fromWallet(jettons)),
  );
  assert.deepEqual(refusals(jettons, last).map(({ kind }) => kind), ["payout_claimed"]);
  assert.equal((await pool.getPoolInfo()).claims, 3072);
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

Deno.test("bounced messages that are no payout of this pool are donations: no claim can be forged", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  const original = payout(at(1), toNano(5));
  const genuine = bounce(original);
  const cut = (bits: number) =>
    beginCell().storeBits(genuine.bits.substring(0, bits)).storeRef(genuine.refs[0]).storeRef(genuine.refs[1])
      .endCell();
  const withPayload = (store: (builder: Builder) => Builder) =>
    bounce(store(beginCell().storeSlice(original.beginParse())).endCell());
  const bodies: [string, Cell][] = [
    ["a retry that is cut", withPayload((body) => body.storeUint(1, 63))],
    ["a retry with a bit too much", withPayload((body) => body.storeUint(1, 65))],
    ["a retry with a reference", withPayload((body) => body.storeUint(1, 64).storeRef(original))],
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
    ["a transfer with a payload", withPayload((body) => body.storeRef(original))],
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
  // This message imitates a bounce.
  await assertValueKept(pool, () => pool.send(genuine, toNano("0.1"), { from: jettons.poolWallet }));
  assert.equal((await pool.getPoolInfo()).claims, 0);
  assertSucceeded(await pool.send(genuine, toNano("0.1"), fromWallet(jettons)));
  assert.equal((await pool.getPoolInfo()).claims, 1, "the genuine one is a claim");
});

Deno.test("the return of a refused deposit that bounces is no claim, so nobody can fill them", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  const transfer = await jettons.transferMessage({ amount: 1n });
  // The wallet is locked after it has notified the pool, and refuses the return transfer.
  const unlock = await lockWallet(jettons);
  const notification = beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64).storeCoins(
    1n,
  )
    .storeAddress(pool.user.address).storeMaybeRef(transfer.body.refs[0]).endCell();
  await pool.send(notification, toNano("0.3"), { from: jettons.poolWallet, bounce: false });
  assert.equal((await pool.getPoolInfo()).claims, 0);
  await unlock();
});
