/** Deposits that a jetton pool refuses: the jettons return to their owner with the reason. */
import { MAX_DEPOSIT_VALUE_NANO } from "../../../src/client/deposit/deposit_jetton.ts";
import assert from "node:assert/strict";
import { Address, beginCell, Cell, toNano } from "@ton/core";
import { internal } from "@ton/sandbox";
import { type ExitCodeName, exitCodes } from "../../../src/core/errors/problem.ts";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import {
  loadDepositRefusal,
  storeJettonTransfer,
} from "../../../src/core/protocol/messages/jetton_messages.ts";
import { opCodes } from "../../../src/core/protocol/messages/pool_messages.ts";
import { assertJettonsReturned, assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import {
  deployMinter,
  type JettonDepositChange,
  jettonMaster,
  JettonSandbox,
  jettonWallet,
  readJettonBalance,
  transferNotificationsTo,
} from "../../../testkit/chain/jetton_sandbox.ts";
import { assertRejected } from "../../support/contracts/pool_assertions.ts";
import { freshElement, type PriceList } from "../../../testkit/chain/pool_sandbox.ts";
import { SetModel } from "../../../testkit/chain/pool_storage.ts";

const taken = freshElement();
const commitments = new SetModel();
commitments.add(taken);

/** Builds the body of a notification as wallets write it. */
function notification(amount: bigint, sender: Address | null, payload: Cell | null): Cell {
  return beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(3, 64).storeCoins(amount)
    .storeAddress(sender).storeMaybeRef(payload).endCell();
}

type Case = readonly [
  claim: string,
  code: ExitCodeName,
  change: JettonDepositChange | ((jettons: JettonSandbox) => Promise<JettonDepositChange>),
  state?: { paused?: boolean; deposits?: number },
];

const changed = (edit: (body: Cell) => Cell) => async ({ pool }: JettonSandbox) => ({
  payload: edit(await pool.depositBody()),
});

const cases: readonly Case[] = [
  ["a unit too few", "ERR_WRONG_DENOMINATION", { amount: toNano(10) - 1n }],
  ["a unit too many", "ERR_WRONG_DENOMINATION", { amount: toNano(10) + 1n }],
  [
    "a wrong amount, whatever else is wrong with it",
    "ERR_WRONG_DENOMINATION",
    { amount: 1n, payload: null },
    { paused: true, deposits: 131_072 },
  ],
  ["a commitment that is there already", "ERR_DUPLICATE_COMMITMENT", { commitment: taken }],
  ["a leaf that is taken", "ERR_STALE_DEPOSIT", { leafIndex: 4 }],
  ["a leaf that is not next yet", "ERR_STALE_DEPOSIT", { leafIndex: 6 }],
  ["a deposit into a full pool", "ERR_POOL_FULL", {}, { deposits: 131_072 }],
  ["a deposit into a paused pool", "ERR_PAUSED", {}, { paused: true }],
  ["nothing, to a paused pool", "ERR_PAUSED", { payload: null }, { paused: true }],
  ["a proof of other signals", "ERR_PROOF_INVALID", { signals: [1n, 2n, 3n, 4n] }],
  [
    "points that are none",
    "ERR_PROOF_INVALID",
    { proof: beginCell().storeUint(0, 768).storeRef(beginCell().storeUint(0, 768).endCell()).endCell() },
  ],
  ["a commitment plus r", "ERR_NOT_IN_FIELD", { commitment: FIELD_MODULUS }],
  ["a root plus r", "ERR_NOT_IN_FIELD", { newRoot: FIELD_MODULUS }],
  ["no payload", "ERR_MALFORMED", { payload: null }],
  ["an empty payload", "ERR_MALFORMED", { payload: Cell.EMPTY }],
  ["a comment", "ERR_MALFORMED", { payload: beginCell().storeUint(0, 32).storeStringTail("hi").endCell() }],
  ["a payload that ends after its op", "ERR_MALFORMED", {
    payload: beginCell().storeUint(opCodes.deposit, 32).endCell(),
  }],
  [
    "a deposit with another op",
    "ERR_MALFORMED",
    changed((body) => {
      const rest = body.beginParse().skip(32);
      return beginCell().storeUint(opCodes.withdraw, 32).storeSlice(rest).endCell();
    }),
  ],
  [
    "a deposit and a bit",
    "ERR_MALFORMED",
    changed((body) => beginCell().storeSlice(body.beginParse()).storeBit(0).endCell()),
  ],
  [
    "a deposit and a reference",
    "ERR_MALFORMED",
    changed((body) => beginCell().storeSlice(body.beginParse()).storeRef(Cell.EMPTY).endCell()),
  ],
  [
    "a deposit without its proof",
    "ERR_MALFORMED",
    changed((body) => beginCell().storeBits(body.bits).endCell()),
  ],
];

Deno.test("a refused deposit's jettons are back with their owner, and the pool is as it was", async (t) => {
  const jettons = await JettonSandbox.open();
  for (const [claim, code, change, state] of cases) {
    await t.step(`${claim}: ${code}`, async () => {
      await jettons.setState({ deposits: 5, commitments, ...state });
      const given = typeof change === "function" ? await change(jettons) : change;
      await assertJettonsReturned(jettons, code, () => jettons.deposit(given));
    });
  }
  await jettons.setState({ deposits: 5, commitments });
  assertSucceeded(await jettons.deposit());
});

Deno.test("a deposit that lies beside the notification, not in a reference, is returned", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  const body = await pool.depositBody();
  const payloads = [
    beginCell().storeBit(0).storeUint(opCodes.deposit, 32).storeUint(0, 64),
    beginCell().storeBit(0).storeRef(body),
    beginCell().storeBit(1).storeRef(body).storeBit(0),
    beginCell().storeBit(1).storeRef(body).storeRef(Cell.EMPTY),
  ];
  for (const payload of payloads) {
    const transfer = beginCell().storeUint(opCodes.transfer, 32).storeUint(0, 64)
      .storeCoins(pool.denomination).storeAddress(pool.address).storeAddress(pool.user.address).storeBit(
        false,
      )
      .storeCoins(await jettons.depositValue()).storeBuilder(payload).endCell();
    const to = jettons.walletOf(pool.user.address);
    const message = internal({ from: pool.user.address, to, value: toNano(1), body: transfer });
    await assertJettonsReturned(jettons, "ERR_MALFORMED", () => pool.deliver(message));
  }
});

for (const prices of ["mainnet", "old"] as PriceList[]) {
  Deno.test(`a nano less than get_deposit_value and the jettons return, with it they stay (${prices} prices)`, async () => {
    const jettons = await JettonSandbox.open({ prices });
    const least = await jettons.depositValue();
    assert.ok(least < MAX_DEPOSIT_VALUE_NANO, "clients send it");
    await assertJettonsReturned(
      jettons,
      "ERR_INSUFFICIENT_VALUE",
      () => jettons.deposit({ forward: least - 1n }),
    );
    assertSucceeded(await jettons.deposit({ forward: least }));
  });

  Deno.test(`jettons with too little value return from where their way back is paid, never by the pool (${prices} prices)`, async () => {
    const jettons = await JettonSandbox.open({ prices });
    const { pool } = jettons;
    const data = await pool.data();
    let returned = 0;
    let gaveBack = 0;
    for (let forward = 1_000_000n; forward < await jettons.depositValue(); forward += 3_000_000n) {
      const held = await jettons.balanceOf(pool.user.address);
      const { balanceBefore: before, balanceAfter: after } = await jettons.deposit({ forward });
      assert.ok(after >= before, `with ${forward} the pool paid`);
      if (after > before) gaveBack++;
      assert.ok((await pool.data()).equals(data));
      if (await jettons.balanceOf(pool.user.address) === held) returned++;
      else assert.equal(returned, 0, `with ${forward} they stayed, with less they returned`);
    }
    assert.ok(returned > 10);
    assert.ok(gaveBack > 0, "a wallet that could not return them keeps the value");
    // Common wallets require 0.04 for a transfer; with twice that, the jettons always return.
    await assertJettonsReturned(
      jettons,
      "ERR_INSUFFICIENT_VALUE",
      () => jettons.deposit({ forward: toNano("0.08") }),
    );
  });
}

Deno.test("a counterfeit jetton, sent as a deposit, is returned by the counterfeit's own wallet", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  const { address: user } = pool.user;
  const counterfeit = jettonMaster("a counterfeit");
  await deployMinter(pool, counterfeit);
  await jettons.mint(user, pool.denomination, counterfeit);
  const wallet = (owner: Address) => jettonWallet(counterfeit, owner);
  const data = await pool.data();
  const outcome = await pool.deliver(internal({
    from: user,
    to: wallet(user),
    value: toNano(1),
    body: storeJettonTransfer({
      queryId: 0n,
      amount: pool.denomination,
      destination: pool.address,
      responseDestination: user,
      forwardAmount: await jettons.depositValue(),
      forwardPayload: await pool.depositBody(),
    }),
  }));
  assert.equal(outcome.exitCode, exitCodes.ERR_NOT_JETTON_WALLET);
  assert.ok((await pool.data()).equals(data));
  assert.equal(outcome.balanceAfter, outcome.balanceBefore);
  assert.deepEqual(
    await Promise.all([user, pool.address].map((owner) => readJettonBalance(pool, wallet(owner)))),
    [
      pool.denomination,
      0n,
    ],
  );
  const notices = transferNotificationsTo(outcome, user);
  assert.deepEqual(notices.map(({ forwardPayload }) => loadDepositRefusal(forwardPayload)), [
    "ERR_NOT_JETTON_WALLET",
  ]);
});

Deno.test("a forged notification from any sender moves no jettons of the pool", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  const data = await pool.data();
  const body = notification(pool.denomination, pool.user.address, await pool.depositBody());
  for (
    const from of [
      pool.user.address,
      pool.owner.address,
      jettons.minter.address,
      jettons.walletOf(pool.user.address),
    ]
  ) {
    const outcome = await pool.send(body, toNano(1), { from });
    assert.equal(outcome.exitCode, exitCodes.ERR_NOT_JETTON_WALLET);
    assert.ok((await pool.data()).equals(data));
    assert.ok(outcome.balanceAfter >= outcome.balanceBefore, "the pool paid for it");
    // The response goes only to the sender.
    assert.deepEqual(outcome.sent.map(({ info }) => info.dest?.toString()), [from.toString()]);
    assert.equal(await jettons.balanceOf(pool.address), pool.denomination);
  }
});

Deno.test("a notification that names no depositor is ERR_MALFORMED, and changes nothing", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  const [from, data] = [jettons.poolWallet, await pool.data()];
  const head = beginCell().storeUint(opCodes.transfer_notification, 32);
  for (const body of [notification(pool.denomination, null, await pool.depositBody()), head.endCell()]) {
    const outcome = await pool.send(body, toNano(1), { from, bounce: false });
    assert.equal(outcome.exitCode, exitCodes.ERR_MALFORMED);
    assert.deepEqual(outcome.sent, []);
    assert.ok((await pool.data()).equals(data));
  }
});

Deno.test("coins, sent to a jetton pool as to a native one, go back", async () => {
  const { pool } = await JettonSandbox.open();
  const body = await pool.depositBody();
  await assertRejected(pool, "ERR_NOT_JETTON_WALLET", () => pool.send(body, pool.denomination));
});
