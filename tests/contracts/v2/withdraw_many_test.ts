/** Several withdrawals in one message: one product of pairings, and one bad item at each position. */
import assert from "node:assert/strict";
import { Address, toNano } from "@ton/core";
import { exitCodes } from "../../../src/core/errors/problem.ts";
import { addressToField } from "../../../src/core/protocol/messages/address_field.ts";
import { storeWithdrawMany } from "../../../src/core/protocol/v2/messages.ts";
import { freshElement } from "../../../testkit/chain/pool_sandbox.ts";
import { V2JettonSandbox } from "../../../testkit/chain/v2/jetton_sandbox.ts";
import { V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import { MAX_QUEUED, MAX_QUEUED_JETTON } from "../../../src/core/protocol/v2/pool_constants.ts";
import { SpentSet } from "../../../src/core/protocol/v2/spent_set.ts";
import type { PoolState } from "../../../src/relay/indexer/pool_state.ts";
import { groupByMessage } from "../../../src/relay/wallet/withdraw_messages.ts";
import type { Job } from "../../../src/store/store.ts";
import { fillPath } from "../../../testkit/chain/v2/deep_slots.ts";
import { assertAccepted, assertRefused, assertStateMirrored } from "../../support/contracts/v2_assertions.ts";
import { itemFaults, malformedBatches, skippedItems } from "../../support/contracts/v2_bad_items.ts";
import { slotOf } from "../../support/contracts/v2_bad_paths.ts";

/** What TVM ends with when a transaction has no gas left. */
const OUT_OF_GAS = -14;

async function openWithNotes(notes = 100): Promise<V2Sandbox> {
  const sandbox = await V2Sandbox.open();
  const roots = [freshElement(), freshElement()];
  const state = { deposits: notes, settled: notes, commitment: () => 1n, roots };
  await sandbox.setState({ ...state, spent: slotOf(3) });
  return sandbox;
}

const paidTo = (outcome: Awaited<ReturnType<V2Sandbox["withdrawMany"]>>, address: Address) =>
  outcome.sent.flatMap(({ info }) =>
    info.type === "internal" && info.dest.equals(address) ? [info.value.coins] : []
  );

for (const count of [1, 2, 16]) {
  Deno.test(`${count} withdrawals are paid, each to the nano, and the relayer gets the sum of the fees`, async () => {
    const sandbox = await openWithNotes();
    const { user, relayer, denomination, owner } = sandbox.pool;
    const changes = Array.from({ length: count }, (_, i) => ({
      fee: BigInt(1 + i) * 1_000_000n,
      refund: i % 3 === 0 ? 5_000_000n : 0n,
      recipient: i % 4 === 1 ? new Address(-1, user.address.hash) : user.address,
      root: sandbox.roots[i % 2],
      rootNumber: i % 2,
    }));
    const outcome = assertAccepted(
      await sandbox.withdrawMany(changes, { from: owner.address, value: toNano(2) }),
    );
    const payouts = outcome.sent.slice(0, count).map(({ info }) =>
      info.type === "internal" && [info.dest.toString(), info.value.coins, info.bounce]
    );
    assert.deepEqual(
      payouts,
      changes.map(({ fee, refund, recipient }) => [recipient.toString(), denomination - fee + refund, false]),
    );
    assert.deepEqual(paidTo(outcome, relayer.address), [changes.reduce((sum, { fee }) => sum + fee, 0n)]);
    assert.equal(paidTo(outcome, owner.address).length, 1);
    const kinds = outcome.logs.map((log) => log?.kind === "withdrawal" && log.nullifierHash);
    assert.deepEqual(kinds, outcome.requests.map(({ nullifierHash }) => nullifierHash));
    assert.equal((await sandbox.pool.getPoolInfo()).withdrawals, count);
    await assertStateMirrored(sandbox);
  });
}

for (const [what, [code, faulty]] of Object.entries(itemFaults)) {
  Deno.test(`one item with ${what} refuses the whole message, at each position`, async () => {
    const sandbox = await openWithNotes();
    for (let at = 0; at < 4; at++) {
      const changes = Array.from({ length: 4 }, (_, i) => i === at ? faulty(sandbox) : {});
      await assertRefused(sandbox, code, () => sandbox.withdrawMany(changes), `position ${at}`);
    }
  });
}

Deno.test("a message or an item of another layout refuses the whole message, at each position", async (t) => {
  const sandbox = await openWithNotes();
  for (const [what, body] of Object.entries(malformedBatches(sandbox.requests([{}, {}, {}])))) {
    await t.step(what, async () => {
      await assertRefused(sandbox, "ERR_MALFORMED", () => sandbox.send(body, toNano(1)));
    });
  }
});

Deno.test("a false proof refuses a batch of 16 at each position", async () => {
  const sandbox = await openWithNotes();
  for (let at = 0; at < 16; at++) {
    const changes = Array.from(
      { length: 16 },
      (_, i) => i === at ? { signals: [0n, 0n, 0n, 0n, 0n, 0n] } : {},
    );
    await assertRefused(sandbox, "ERR_PROOF_INVALID", () => sandbox.withdrawMany(changes), `position ${at}`);
  }
});

async function openJettonWithNotes(): Promise<V2Sandbox> {
  const sandbox = await V2JettonSandbox.openJetton();
  await sandbox.setState({ deposits: 40, settled: 32, commitment: () => 1n, roots: [5n] });
  return sandbox;
}

for (const [kind, open] of [["native", () => openWithNotes()], ["jetton", openJettonWithNotes]] as const) {
  Deno.test(`two false proofs whose errors cancel out in the plain product are refused: ${kind} pool`, async () => {
    const sandbox = await open();
    const { user, relayer } = sandbox.pool;
    const spoiled = [1n, -1n].map((error) => {
      const { root, nullifierHash, fee } = sandbox.request();
      const signals = [
        root,
        nullifierHash,
        addressToField(user.address),
        addressToField(relayer.address),
        fee + error,
        0n,
      ];
      return { nullifierHash, signals };
    });
    await assertRefused(
      sandbox,
      "ERR_PROOF_INVALID",
      () => sandbox.withdrawMany(spoiled, { value: toNano(5) }),
    );
  });
}

for (const [what, [code, skipped]] of Object.entries(skippedItems)) {
  Deno.test(`an item with ${what} is skipped with a log, at each position; the others are paid`, async () => {
    const sandbox = await openWithNotes();
    for (let at = 0; at < 3; at++) {
      // Skipped withdrawals have no proof that counts: a false one changes nothing.
      const bad = { ...skipped(sandbox), signals: [1n, 1n, 1n, 1n, 1n, 1n] };
      const good = { nullifierHash: freshElement() };
      const changes = Array.from({ length: 3 }, (_, i) => i === at ? bad : i === (at + 1) % 3 ? good : {});
      const requests = changes.map((change) => sandbox.request(change));
      const body = storeWithdrawMany(requests, 0n);
      const outcome = assertAccepted(await sandbox.send(body, toNano(1)), `position ${at}`);
      const logs = outcome.logs.map((log) => log?.kind === "skipped" ? log.code : log?.kind);
      assert.deepEqual(logs, ["withdrawal", "withdrawal", exitCodes[code]]);
      const last = outcome.logs.at(-1);
      assert.ok(last?.kind === "skipped" && last.nullifierHash === requests[at].nullifierHash);
      for (const log of outcome.logs) if (log?.kind === "withdrawal") sandbox.spent.add(log.nullifierHash);
      await assertStateMirrored(sandbox);
    }
  });
}

Deno.test("the same nullifier hash twice in one message is paid once", async () => {
  const sandbox = await openWithNotes();
  const nullifierHash = freshElement();
  const [first] = sandbox.requests([{ nullifierHash }]);
  sandbox.spent.add(nullifierHash);
  const second = sandbox.request({ nullifierHash });
  const outcome = assertAccepted(await sandbox.send(storeWithdrawMany([first, second], 0n), toNano(1)));
  assert.deepEqual(outcome.logs.map((log) => log?.kind), ["withdrawal", "skipped"]);
  assert.equal((await sandbox.pool.getPoolInfo()).withdrawals, 1);
});

Deno.test("items of one slot carry the path that the earlier ones leave", async () => {
  const sandbox = await openWithNotes();
  const keys = Array.from({ length: 12 }, (_, i) => ({ nullifierHash: (BigInt(i) << 12n) | 9n }));
  assertAccepted(await sandbox.withdrawMany(keys));
  await assertStateMirrored(sandbox);
});

Deno.test("a message of which nothing is left, or of 17 items, is refused", async () => {
  const sandbox = await openWithNotes();
  const attempt = () => sandbox.withdrawMany([{ rootNumber: 9 }, { root: 5n }]);
  await assertRefused(sandbox, "ERR_ALREADY_SPENT", attempt);
  const many = () => sandbox.withdrawMany(Array(17).fill({ rootNumber: 9 }));
  await assertRefused(sandbox, "ERR_MALFORMED", many);
});

Deno.test("no more notes than are settled can be withdrawn", async () => {
  const sandbox = await openWithNotes();
  const state = {
    deposits: 100,
    settled: 60,
    withdrawals: 58,
    commitment: () => 1n,
    roots: [freshElement()],
  };
  await sandbox.setState(state);
  await assertRefused(sandbox, "ERR_PROOF_INVALID", () => sandbox.withdrawMany([{}, {}, {}]));
  assertAccepted(await sandbox.withdrawMany([{}, {}]));
  await assertRefused(sandbox, "ERR_PROOF_INVALID", () => sandbox.withdrawMany([{}]));
  await assertRefused(sandbox, "ERR_PROOF_INVALID", () => sandbox.withdraw());
});

Deno.test("without a relayer the fees are 0, and nothing is sent for them", async () => {
  const sandbox = await openWithNotes();
  const changes = Array(2).fill({ relayer: null, fee: 0n });
  const outcome = assertAccepted(await sandbox.withdrawMany(changes));
  assert.equal(outcome.sent.length, 3);
  const fee = () => sandbox.withdrawMany([{ relayer: null, fee: 1n }]);
  await assertRefused(sandbox, "ERR_FEE_TOO_HIGH", fee);
});

Deno.test("too little value refuses the message, with the quote it is paid", async () => {
  const sandbox = await openWithNotes();
  const quote = (await sandbox.pool.get("get_withdraw_many_value", 4n, 0n)).readBigNumber();
  const low = () => sandbox.withdrawMany(Array(4).fill({}), { value: toNano("0.04") });
  await assertRefused(sandbox, "ERR_INSUFFICIENT_VALUE", low);
  assertAccepted(await sandbox.withdrawMany(Array(4).fill({}), { value: quote }));
});

const sandboxes = [["native", () => V2Sandbox.open()], [
  "jetton",
  () => V2JettonSandbox.openJetton(),
]] as const;
for (const [kind, open] of sandboxes) {
  Deno.test(`the messages into which a relayer groups withdrawals with long paths have enough gas: ${kind} pool`, async () => {
    const key = (i: number) =>
      ((0xabcdef0123456789abcdefn + BigInt(i) * 0x1234567n) << 12n) | BigInt(7 + 300 * i);
    let most = 0n;
    for (const [nodes, count] of [[0, 12], [12, 12], [20, 12], [94, 4]]) {
      const sandbox: V2Sandbox = await open();
      const keys = Array.from({ length: count }, (_, i) => key(i));
      const spent = new SpentSet();
      for (const nullifierHash of keys) fillPath(nullifierHash, nodes, spent);
      const queued = kind === "native" ? MAX_QUEUED : MAX_QUEUED_JETTON;
      const notes = { deposits: 900_000 + queued, settled: 900_000, withdrawals: 800_000 };
      const roots = Array.from({ length: 1_500 }, freshElement);
      const commitment = (leafIndex: number) => BigInt(leafIndex) + 1n;
      await sandbox.setState({ ...notes, commitment, roots, spent });
      const older = {
        root: sandbox.roots.at(-700)!,
        rootNumber: sandbox.rootCount - 700,
        refund: 12_345_678n,
      };
      const send = (hashes: readonly bigint[]) =>
        sandbox.withdrawMany(hashes.map((nullifierHash) => ({ nullifierHash, ...older })), {
          value: toNano(6),
        });
      const pool = { settledPool: { spent: spent.clone() } } as unknown as PoolState;
      const jobs = keys.map((nullifierHash) => ({ job: { pool: "a", nullifierHash } as Job, pool }));
      const groups = groupByMessage(jobs);
      if (nodes === 20) {
        const { exitCode } = await send(keys);
        assert.equal(exitCode, OUT_OF_GAS, "in one message, they do not fit");
        await sandbox.setState({ ...notes, commitment, roots, spent: spent.clone() });
        assert.ok(groups.length > 1);
      } else assert.equal(groups.length, 1, `${nodes}`);
      for (const group of groups) {
        const { gasUsed } = assertAccepted(
          await send(group.map(({ job }) => job.nullifierHash)),
          `${nodes} nodes`,
        );
        if (gasUsed > most) most = gasUsed;
      }
    }
    assert.ok(most > 900_000n, `the bounds waste gas: ${most}`);
  });
}
