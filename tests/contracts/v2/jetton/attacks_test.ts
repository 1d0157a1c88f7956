/** Attacks on a version 2 jetton pool, by name: the pool refuses each with its code and loses nothing. */
import assert from "node:assert/strict";
import { Address, beginCell, Cell, toNano } from "@ton/core";
import { type ExitCodeName, exitCodes } from "../../../../src/core/errors/problem.ts";
import { loadDepositRefusal } from "../../../../src/core/protocol/messages/jetton_messages.ts";
import { opCodes, storeDiscoverJettonWallet } from "../../../../src/core/protocol/messages/pool_messages.ts";
import { depositComment, storeEnqueue } from "../../../../src/core/protocol/v2/messages.ts";
import { transferNotificationsTo } from "../../../../testkit/chain/jetton_sandbox.ts";
import { freshElement } from "../../../../testkit/chain/pool_sandbox.ts";
import { type JettonEnqueueChange, V2JettonSandbox } from "../../../../testkit/chain/v2/jetton_sandbox.ts";
import { commentBody, type V2WithdrawChange } from "../../../../testkit/chain/v2/sandbox.ts";
import {
  assertAccepted,
  assertDepositReturned,
  assertRefused,
  balanceChange,
} from "../../../support/contracts/v2_assertions.ts";

const settled = { deposits: 40, settled: 32, commitment: () => 1n, roots: [5n] };
const enqueue = (commitment: bigint) => storeEnqueue({ queryId: 0n, commitment });

function notification(amount: bigint, sender: Address | null, payload: Cell | null): Cell {
  return beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64).storeCoins(amount)
    .storeAddress(sender).storeMaybeRef(payload).endCell();
}

/**
 * Asserts that the jettons of a deposit return with this code, and that state and coins of the pool do not
 * change.
 */
async function assertJettonsBack(sandbox: V2JettonSandbox, name: ExitCodeName, change: JettonEnqueueChange) {
  const { pool, jettons } = sandbox;
  const data = await pool.data();
  const held = await jettons.balanceOf(pool.user.address);
  const outcome = await sandbox.deposit(change);
  assert.deepEqual([outcome.exitCode, outcome.actionCode], [exitCodes[name], 0], name);
  assert.ok((await pool.data()).equals(data), `${name}: the state changed`);
  assert.equal(balanceChange(outcome), 0n, `${name}: the pool's coins changed`);
  assert.equal(await jettons.balanceOf(pool.user.address), held, `${name}: jettons are missing`);
  const notices = transferNotificationsTo({ ...outcome, logs: [] }, pool.user.address);
  assert.deepEqual(notices.map(({ forwardPayload }) => loadDepositRefusal(forwardPayload)), [name]);
}

Deno.test("a deposit that is wrong returns its jettons with the reason", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const body = enqueue(7n);
  const malformed: (Cell | null)[] = [
    null,
    Cell.EMPTY,
    beginCell().storeSlice(body.beginParse()).storeBit(0).endCell(),
    beginCell().storeSlice(body.beginParse()).storeRef(Cell.EMPTY).endCell(),
    beginCell().storeBits(body.bits.substring(0, 351)).endCell(),
    commentBody(depositComment(7n)),
    beginCell().storeUint(opCodes.deposit, 32).storeUint(0, 64).storeUint(7n, 256).endCell(),
  ];
  for (const payload of malformed) await assertJettonsBack(sandbox, "ERR_MALFORMED", { payload });
  await assertJettonsBack(sandbox, "ERR_WRONG_DENOMINATION", { amount: sandbox.pool.denomination - 1n });
  await assertJettonsBack(sandbox, "ERR_WRONG_DENOMINATION", { amount: sandbox.pool.denomination + 1n });
  await assertJettonsBack(sandbox, "ERR_NOT_IN_FIELD", { commitment: 2n ** 256n - 1n });
  const least = await sandbox.jettons.depositValue();
  await assertJettonsBack(sandbox, "ERR_INSUFFICIENT_VALUE", { forward: least - 1n });
  assertAccepted(await sandbox.deposit({ forward: least }));
});

Deno.test("a paused pool, a full pool and a full queue return the jettons; one place less is accepted", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const states = [
    ["ERR_PAUSED", { paused: true }],
    ["ERR_POOL_FULL", { deposits: 1_048_576, settled: 1_048_576, withdrawals: 1_048_576 }],
    ["ERR_QUEUE_FULL", { deposits: 2_048, settled: 0 }],
  ] as const;
  for (const [name, state] of states) {
    await sandbox.setState({ commitment: () => 1n, roots: [5n], ...state });
    await assertJettonsBack(sandbox, name, {});
  }
  await sandbox.setState({ deposits: 2_047, settled: 0, commitment: () => 1n });
  assertAccepted(await sandbox.deposit());
  await assertJettonsBack(sandbox, "ERR_QUEUE_FULL", {});
  assertAccepted(await sandbox.settle());
  assertAccepted(await sandbox.deposit());
});

Deno.test("a forged notification queues nothing, whichever wallet or account sends it", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool, jettons } = sandbox;
  const data = await pool.data();
  const body = notification(pool.denomination, pool.user.address, enqueue(7n));
  for (const from of [pool.user.address, jettons.minter.address, jettons.walletOf(pool.user.address)]) {
    const outcome = await sandbox.send(body, toNano(1), { from });
    assert.equal(outcome.exitCode, exitCodes.ERR_NOT_JETTON_WALLET);
    assert.ok((await pool.data()).equals(data));
    assert.ok(balanceChange(outcome) >= 0n, "the pool's coins paid for it");
  }
  const unnamed = notification(pool.denomination, null, enqueue(7n));
  const outcome = await sandbox.send(unnamed, toNano(1), { from: jettons.poolWallet, bounce: false });
  assert.equal(outcome.exitCode, exitCodes.ERR_MALFORMED);
  assert.ok((await pool.data()).equals(data));
});

Deno.test("before discovery every notification is refused, and only the master's first answer counts", async () => {
  const sandbox = await V2JettonSandbox.openJetton({ discovered: false });
  const { pool, jettons } = sandbox;
  const body = notification(pool.denomination, pool.user.address, enqueue(7n));
  const early = await sandbox.send(body, toNano(1), { from: jettons.poolWallet });
  assert.equal(early.exitCode, exitCodes.ERR_JETTON_WALLET_UNKNOWN);
  const answer = (wallet: Address) =>
    beginCell().storeUint(opCodes.take_wallet_address, 32).storeUint(0, 64).storeAddress(wallet)
      .storeMaybeRef(null).endCell();
  const request = storeDiscoverJettonWallet();
  const longer = beginCell().storeSlice(request.beginParse()).storeBit(0).endCell();
  const deeper = beginCell().storeSlice(request.beginParse()).storeRef(Cell.EMPTY).endCell();
  for (const malformed of [longer, deeper]) {
    await assertRefused(sandbox, "ERR_MALFORMED", () => sandbox.send(malformed, toNano(1)));
  }
  const forged = () => sandbox.send(answer(pool.user.address), toNano(1));
  await assertRefused(sandbox, "ERR_NOT_MASTER", forged);
  assertAccepted(await sandbox.send(storeDiscoverJettonWallet(), toNano("0.2")));
  assert.ok((await pool.getPoolInfo()).jettonWallet!.equals(jettons.poolWallet));
  const again = () => sandbox.send(answer(pool.user.address), toNano(1), { from: jettons.minter.address });
  await assertRefused(sandbox, "ERR_NOT_MASTER", again);
  await assertRefused(
    sandbox,
    "ERR_NOT_MASTER",
    () => sandbox.send(storeDiscoverJettonWallet(), toNano("0.2")),
  );
});

Deno.test("coins sent as a deposit, and every comment, return whatever the bounce flag and the sender's workchain", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const bodies: [ExitCodeName, Cell][] = [
    ["ERR_NOT_JETTON_WALLET", enqueue(7n)],
    ["ERR_MALFORMED", commentBody(depositComment(7n))],
    ["ERR_MALFORMED", commentBody("hello")],
    ["ERR_MALFORMED", commentBody("")],
  ];
  for (const [name, body] of bodies) {
    for (const bounce of [true, false]) {
      for (const workchain of [0, -1]) {
        const from = new Address(workchain, sandbox.pool.user.address.hash);
        await assertDepositReturned(
          sandbox,
          name,
          from,
          () => sandbox.send(body, toNano(1), { from, bounce }),
        );
      }
    }
  }
});

Deno.test("a copied settlement, a stale one and one that comes too soon are refused", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool } = sandbox;
  await sandbox.setState({ ...settled, settledAt: pool.chain.now! });
  const settlement = { from: pool.user.address, prover: pool.relayer.address };
  await assertRefused(sandbox, "ERR_TOO_SOON", () => sandbox.settle());
  pool.chain.now! += 30;
  await assertRefused(sandbox, "ERR_PROOF_INVALID", () => sandbox.settle(settlement));
  await assertRefused(sandbox, "ERR_STALE_SETTLE", () => sandbox.settle({ end: 41 }));
  await assertRefused(sandbox, "ERR_STALE_SETTLE", () => sandbox.settle({ end: 32 }));
  assertAccepted(await sandbox.settle());
});

Deno.test("a stale path, a spent note, a wrong root and payees that cannot hold jettons are refused", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool, jettons } = sandbox;
  await sandbox.setState(settled);
  const spent = freshElement();
  assertAccepted(await sandbox.withdraw({ nullifierHash: spent }));
  const value = toNano(1);
  const faults: [ExitCodeName, Parameters<V2JettonSandbox["withdraw"]>[0]][] = [
    ["ERR_ALREADY_SPENT", { nullifierHash: spent }],
    ["ERR_STALE_SLOT", { nullifierHash: spent, carried: null }],
    ["ERR_UNKNOWN_ROOT", { root: freshElement() }],
    ["ERR_FEE_TOO_HIGH", { fee: pool.denomination + 1n }],
    ["ERR_FEE_TOO_HIGH", { fee: 1n, relayer: null }],
    ["ERR_BAD_ADDRESS", { recipient: pool.address }],
    ["ERR_BAD_ADDRESS", { recipient: jettons.poolWallet }],
    ["ERR_BAD_ADDRESS", { relayer: jettons.poolWallet }],
    ["ERR_BAD_ADDRESS", { recipient: new Address(-1, pool.user.address.hash) }],
    ["ERR_INSUFFICIENT_VALUE", { value: toNano("0.2") }],
  ];
  for (const [name, change] of faults) {
    await assertRefused(sandbox, name, () => sandbox.withdraw({ value, ...change }), name);
  }
});

Deno.test("one bad item at each position refuses the batch, or is skipped if only its slot, root or note is stale", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool, jettons } = sandbox;
  await sandbox.setState(settled);
  const spent = freshElement();
  assertAccepted(await sandbox.withdraw({ nullifierHash: spent }));
  const value = toNano(5);
  for (let position = 0; position < 4; position++) {
    const batch = (change: V2WithdrawChange) =>
      sandbox.withdrawMany(Array.from({ length: 4 }, (_, i) => i === position ? change : {}), { value });
    const refused: [ExitCodeName, V2WithdrawChange][] = [
      ["ERR_PROOF_INVALID", { signals: [1n, 2n, 3n, 4n, 5n, 6n] }],
      ["ERR_FEE_TOO_HIGH", { fee: pool.denomination + 1n }],
      ["ERR_BAD_ADDRESS", { recipient: jettons.poolWallet }],
      ["ERR_BAD_ADDRESS", { recipient: new Address(-1, pool.user.address.hash) }],
      ["ERR_MALFORMED", { relayer: pool.owner.address }],
    ];
    for (const [name, change] of refused) {
      await assertRefused(sandbox, name, () => batch(change), `${name} at ${position}`);
    }
    for (
      const [code, change] of [
        ["ERR_UNKNOWN_ROOT", { root: freshElement() }],
        ["ERR_ALREADY_SPENT", { nullifierHash: spent }],
      ] as const
    ) {
      const outcome = assertAccepted(await batch(change));
      const skipped = outcome.logs.filter((log) => log?.kind === "skipped");
      assert.deepEqual(skipped.map((log) => log!.code), [exitCodes[code]]);
      assert.equal(outcome.logs.length, 4);
    }
  }
});

Deno.test("a batch of 13, one without a payable item, one for the pool's wallet, and one that brings too little are refused", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  await sandbox.setState(settled);
  const many = (count: number, value: bigint, change = {}) => () =>
    sandbox.withdrawMany(Array(count).fill(change), { value });
  await assertRefused(sandbox, "ERR_MALFORMED", many(13, toNano(9)));
  const oneSkipped = (count: number) => () =>
    sandbox.withdrawMany([{ root: 99n }, ...Array(count - 1).fill({})], { value: toNano(9) });
  await assertRefused(sandbox, "ERR_MALFORMED", oneSkipped(13));
  const toWallet = many(2, toNano(9), { relayer: sandbox.jettons.poolWallet });
  await assertRefused(sandbox, "ERR_BAD_ADDRESS", toWallet);
  await assertRefused(sandbox, "ERR_ALREADY_SPENT", many(2, toNano(9), { root: 99n }));
  await assertRefused(sandbox, "ERR_INSUFFICIENT_VALUE", many(12, toNano("1.3")));
  assertAccepted(await many(12, toNano(2))());
  assertAccepted(await oneSkipped(12)());
});
