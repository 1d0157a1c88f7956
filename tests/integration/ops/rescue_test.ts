/** Messages of a wallet or of the helper thaw frozen pools, or are refused for their size. */
import assert from "node:assert/strict";
import { beginCell, loadMessage, storeStateInit, toNano } from "@ton/core";
import { internal } from "@ton/sandbox";
import { smallestSender, WALLET_BYTES } from "../../../src/ops/rescue/rescue_plan.ts";
import {
  PIECE_VALUE_NANO,
  rescueHelperAddress,
  rescueHelperInit,
  splitState,
  storePieceBody,
  thawBody,
} from "../../../src/ops/rescue/thaw_helper.ts";
import { generateMnemonic } from "../../../src/ton/wallet/mnemonic.ts";
import {
  MAX_EXTERNAL_MESSAGE_BYTES,
  openWallet,
  type OutgoingMessage,
  type WalletVersion,
} from "../../../src/ton/wallet/wallet.ts";
import { emptyBody, freshElement, PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";
import { storeRetryPayout } from "../../../src/core/protocol/messages/pool_messages.ts";
import { manyClaims, withClaims } from "../../support/contracts/claims.ts";
import { emptiedState, spreadKeys, worstKeys } from "../../support/ops/emptied_state.ts";
import { encodePoolData, RootHistoryModel, SetModel } from "../../../testkit/chain/pool_storage.ts";

const YEAR = 31_557_600;

/** Opens a native pool with `notes` deposits, all withdrawn, and almost no coins. */
async function emptiedPool(notes: number) {
  const pool = await PoolSandbox.open();
  const [commitments, nullifiers, history] = [new SetModel(), new SetModel(), new RootHistoryModel()];
  for (const set of [commitments, nullifiers]) {
    while (set.size < notes) set.add(spreadKeys(set.size));
  }
  for (let i = 0; i < 64 + notes % 32; i++) history.push(freshElement());
  const { denomination } = pool;
  const data = encodePoolData({
    denomination,
    deposits: notes,
    withdrawals: notes,
    debt: 0n,
    touched: pool.chain.now!,
    commitments,
    nullifiers,
    history,
    root: freshElement(),
    paused: false,
    owner: null,
  });
  await pool.setState({ data, balance: 10_000_000n });
  const account = (await pool.chain.getContract(pool.address)).accountState;
  assert.ok(account?.type === "active");
  const state = { code: account.state.code!, data, deposits: notes, withdrawals: notes, touched: 0 };
  return { pool, state };
}

/** Returns a new wallet. Its key and address need no chain. */
async function offlineWallet(version: WalletVersion) {
  const chain = {} as Parameters<typeof openWallet>[1]["chain"];
  return await openWallet(await generateMnemonic(), { version, network: "testnet", chain });
}

const stateOf = async (pool: PoolSandbox) => (await pool.chain.getContract(pool.address)).accountState?.type;

Deno.test("a wallet's message thaws a frozen pool of 1,150 notes, which then works again", async () => {
  const { pool, state } = await emptiedPool(1_150);
  assert.equal(smallestSender(state), "wallet");
  const from = pool.user.address;
  pool.chain.now! += 5 * YEAR;
  await pool.chain.sendMessage(
    internal({ from, to: pool.address, value: 1n, bounce: false, body: emptyBody }),
  );
  assert.equal(await stateOf(pool), "frozen");

  const wallet = await offlineWallet("v4R2");
  const funds = { from, to: wallet.address, value: toNano(100), bounce: false, body: emptyBody };
  await pool.chain.sendMessage(internal(funds));
  const { code, data } = state;
  const thaw = { to: pool.address, value: toNano(20), bounce: false, init: { code, data } };
  const validUntil = pool.chain.now! + 60;
  const { message } = wallet.sign({ seqno: 0, validUntil, messages: [thaw] });
  const { length } = message.toBoc();
  assert.ok(length > 0.95 * MAX_EXTERNAL_MESSAGE_BYTES && length <= MAX_EXTERNAL_MESSAGE_BYTES, `${length}`);
  const alone = beginCell().store(storeStateInit({ code, data })).endCell().toBoc().length;
  const other = (await offlineWallet("v5R1")).sign({ seqno: 0, validUntil, messages: [thaw] });
  for (const whole of [length, other.message.toBoc().length]) {
    assert.ok(whole - alone <= WALLET_BYTES, `a wallet adds ${whole - alone}`);
  }
  // A plain top-up of any value does not thaw a frozen account.
  await pool.chain.sendMessage(internal({ ...funds, to: pool.address, value: toNano(1) }));
  assert.equal(await stateOf(pool), "frozen");
  await pool.chain.sendMessage(loadMessage(message.beginParse()));
  assert.equal(await stateOf(pool), "active");
  assert.equal((await pool.data()).hash().toString("hex"), data.hash().toString("hex"));
  assert.ok(await pool.balance() > toNano(15));
  assert.equal((await pool.getPoolInfo()).deposits, 1_150);
});

Deno.test("a wallet fills the helper in pieces, and the helper thaws a frozen pool of 5,000 notes", async () => {
  const { pool, state } = await emptiedPool(5_000);
  assert.equal(smallestSender(state), "helper");
  const from = pool.user.address;
  pool.chain.now! += 5 * YEAR;
  const poke = { from, to: pool.address, value: 1n, bounce: false, body: emptyBody };
  await pool.chain.sendMessage(internal(poke));
  const wallet = await offlineWallet("v4R2");
  await pool.chain.sendMessage(internal({ ...poke, to: wallet.address, value: toNano(100) }));
  const helper = rescueHelperAddress(wallet.address, pool.address);
  let seqno = 0;
  const send = async (message: OutgoingMessage) => {
    const validUntil = pool.chain.now! + 60;
    const transfer = wallet.sign({ seqno: seqno++, validUntil, messages: [message] });
    assert.ok(transfer.message.toBoc().length <= MAX_EXTERNAL_MESSAGE_BYTES);
    await pool.chain.sendMessage(loadMessage(transfer.message.beginParse()));
  };
  const { code, data } = state;
  const { pieces, plan } = splitState(beginCell().store(storeStateInit({ code, data })).endCell());
  assert.ok(pieces.length > 1);
  const init = rescueHelperInit(wallet.address, pool.address);
  for (const [i, piece] of pieces.entries()) {
    await send({ to: helper, value: PIECE_VALUE_NANO, bounce: true, init, body: storePieceBody(i, piece) });
  }
  await send({ to: helper, value: toNano(30), bounce: true, body: thawBody(plan) });
  assert.equal(await stateOf(pool), "active");
  assert.equal((await pool.data()).hash().toString("hex"), data.hash().toString("hex"));
  assert.ok(await pool.balance() > toNano(20), "the coins arrived with the state");
  assert.equal((await pool.getPoolInfo()).withdrawals, 5_000);
});

Deno.test("a frozen jetton pool thaws with its open claims, which are then paid", async () => {
  const jettons = await withClaims(2);
  const { pool } = jettons;
  const account = (await pool.chain.getContract(pool.address)).accountState;
  assert.ok(account?.type === "active");
  const { code, data } = account.state;
  await pool.setState({ data: data!, balance: 10_000_000n });
  const from = pool.user.address;
  // The pool's wallet must outlive the pool.
  await pool.chain.sendMessage(
    internal({ from, to: jettons.poolWallet, value: toNano(50), bounce: false, body: emptyBody }),
  );
  pool.chain.now! += 20 * YEAR;
  const poke = { from, to: pool.address, value: 1n, bounce: false, body: emptyBody };
  await pool.chain.sendMessage(internal(poke));
  assert.equal(await stateOf(pool), "frozen");
  const wallet = await offlineWallet("v5R1");
  await pool.chain.sendMessage(internal({ ...poke, to: wallet.address, value: toNano(100) }));
  const init = { code: code!, data: data! };
  const thaw = { to: pool.address, value: toNano(20), bounce: false, init };
  const { message } = wallet.sign({ seqno: 0, validUntil: pool.chain.now! + 60, messages: [thaw] });
  await pool.chain.sendMessage(loadMessage(message.beginParse()));
  assert.equal(await stateOf(pool), "active");
  assert.equal((await pool.getPoolInfo()).claims, 2);
  for (const [id, { amount, destination }] of manyClaims(2)) {
    const before = await jettons.balanceOf(destination);
    await pool.send(storeRetryPayout(id), toNano("0.3"));
    assert.equal(await jettons.balanceOf(destination), before + amount);
  }
  assert.equal((await pool.getPoolInfo()).claims, 0);
});

type Sender = "wallet" | "helper" | RegExp;
const tooLarge = /No contract can send it: a message holds 8192 cells and 2097152 bits/;
/** Sizes just below and just above each limit that the documents state. */
const LIMITS: [kind: "native" | "jetton", notes: number, expected: Sender, options?: "worst" | number][] = [
  ["native", 1_100, "wallet"],
  ["native", 1_200, "helper"],
  ["native", 1_000, "wallet", "worst"],
  ["native", 1_050, "helper", "worst"],
  ["native", 5_000, "helper"],
  ["native", 5_100, tooLarge],
  ["native", 2_600, "helper", "worst"],
  ["native", 2_700, tooLarge, "worst"],
  ["jetton", 1_050, "wallet"],
  ["jetton", 1_100, "helper"],
  ["jetton", 950, "wallet", "worst"],
  ["jetton", 1_000, "helper", "worst"],
  ["jetton", 4_950, "helper"],
  ["jetton", 5_100, tooLarge],
  ["jetton", 2_600, "helper", "worst"],
  ["jetton", 2_700, tooLarge, "worst"],
  ["jetton", 4_250, "helper", 255],
  ["jetton", 4_400, tooLarge, 255],
];
for (const [kind, notes, expected, options] of LIMITS) {
  const what = typeof expected === "string" ? `is sent by a ${expected}` : "is refused by its size";
  const having = options === "worst"
    ? " with the worst keys"
    : options === undefined
    ? ""
    : ` and ${options} claims`;
  Deno.test(`the state of a frozen ${kind} pool of ${notes} notes${having} ${what}`, () => {
    const state = emptiedState(
      kind,
      notes,
      options === "worst" ? worstKeys : spreadKeys,
      options === "worst" ? 0 : options,
    );
    if (typeof expected === "string") return assert.equal(smallestSender(state), expected);
    assert.throws(() => smallestSender(state), { code: "rescue_refused", message: expected });
  });
}

Deno.test("the documents and the command say up to how many notes a frozen pool of each kind can be thawed", async () => {
  const claims: Record<string, string[]> = {
    "contracts/v1/SPEC.md": [
      "about 1,100 deposited and withdrawn notes in a native pool and 1,050 in a jetton pool, or 1,000 and 950 with",
      "in a pool of either kind about 5,000 such notes, or 2,600 with the worst keys",
      "with 255 of them, about 4,300 notes fit",
    ],
    "docs/security.md": [
      "of either kind above about 5,000 notes (2,600 with the worst keys) cannot be thawed",
    ],
    "docs/operating.md": [
      "about 1,100 notes that were deposited and withdrawn in a native pool of version 1 and 1,050 in a jetton pool, or 1,000 and 950 with the worst keys",
      "of either kind, that is about 5,000 notes that were deposited and withdrawn, or 2,600 if",
      "fits with about 4,300",
      "more than about 5,000 notes (2,600 with the worst keys)",
    ],
    "docs/operating/alerts.yml": ["more than about 5,000 notes (2,600 with the worst keys)"],
    "docs/migration.md": ["of either kind of up to about 5,000 notes (2,600 with the worst keys)"],
    "tests/fixtures/help/tonado-pool-rescue.txt": [
      "about 1,100 notes deposited and withdrawn in a native pool, 1,050 in a jetton pool; 1,000 and 950 with",
      "about 5,000 notes, 2,600 with the worst keys",
    ],
  };
  for (const [path, quotes] of Object.entries(claims)) {
    const text = (await Deno.readTextFile(path)).replaceAll(/\s+/g, " ");
    for (const quote of quotes) assert.ok(text.includes(quote), `${path} does not say: ${quote}`);
  }
});
