/** Settlements of a version 2 pool: the state that they change, and every attack on them. */
import assert from "node:assert/strict";
import { Address, type Cell, toNano } from "@ton/core";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { storeAdmin } from "../../../testkit/chain/admin_messages.ts";
import { storeSettle } from "../../../src/core/protocol/v2/messages.ts";
import { PARTIAL_BATCH_SECONDS, ROOT_WINDOW } from "../../../src/core/protocol/v2/pool_constants.ts";
import { zeros } from "../../../src/core/tree/zeros.ts";
import { freshElement } from "../../../testkit/chain/pool_sandbox.ts";
import { proofCell } from "../../../testkit/chain/trapdoor_keys.ts";
import { V2JettonSandbox } from "../../../testkit/chain/v2/jetton_sandbox.ts";
import { type V2Outcome, V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import { falseSettlements, malformedSettlements } from "../../support/contracts/v2_bad_settlements.ts";
import {
  invalidateProof,
  invalidations,
  leaveSubgroup,
  unpackProof,
} from "../../support/contracts/invalid_proofs.ts";
import { assertAccepted, assertRefused, assertStateMirrored } from "../../support/contracts/v2_assertions.ts";

/** The prices of contracts/v2/SPEC.md, in native coins at mainnet's prices. */
const GRIEFER_COST = "0.0075";
const VICTIM_COST = "0.0108";

async function openWith(deposits: number, settled = 0): Promise<V2Sandbox> {
  const sandbox = await V2Sandbox.open();
  for (let i = 0; i < settled; i++) await sandbox.deposit();
  await sandbox.settleAll();
  for (let i = settled; i < deposits; i++) await sandbox.deposit();
  return sandbox;
}

Deno.test("a settlement puts the oldest commitments into the tree, logs it, and returns the value with the reward", async () => {
  const sandbox = await openWith(20);
  for (const [end, rootNumber] of [[5, 0], [16, 1], [20, 2]]) {
    sandbox.pool.chain.now! += PARTIAL_BATCH_SECONDS;
    const newRoot = freshElement();
    const outcome = assertAccepted(await sandbox.settle({ end, newRoot }));
    const timestamp = sandbox.pool.chain.now!;
    assert.deepEqual(outcome.logs, [{ kind: "settlement", rootNumber, newRoot, end, timestamp }]);
    const [{ info }] = outcome.sent;
    assert.ok(outcome.sent.length === 1 && info.type === "internal" && !info.bounce);
    assert.ok(info.dest.equals(sandbox.pool.relayer.address));
    await assertStateMirrored(sandbox);
  }
  assert.equal((await sandbox.pool.get("getSettled")).readNumber(), 20);
});

Deno.test("a batch settles from every slot of a chunk, alone, up to the edge, and in between", async () => {
  const sandbox = await V2Sandbox.open();
  const commitments = Array.from({ length: 16 }, freshElement);
  for (let start = 0; start < 16; start++) {
    for (const end of new Set([start + 1, (start + 17) >> 1, 16])) {
      await sandbox.setState({
        deposits: 16,
        settled: start,
        commitment: (leafIndex) => commitments[leafIndex],
      });
      assertAccepted(await sandbox.settle({ end }), `${start} to ${end}`);
    }
    await assertStateMirrored(sandbox);
  }
});

Deno.test("a chunk settles wherever it lies in its list, however many commitments follow", async () => {
  const sandbox = await V2Sandbox.open();
  const commitment = (leafIndex: number) => BigInt(leafIndex) * 7n + 3n;
  for (const [deposits, settled] of [[256, 0], [256, 240], [257, 240], [1000, 512], [768, 752], [300, 256]]) {
    await sandbox.setState({ deposits, settled, commitment });
    assertAccepted(await sandbox.settle(), `${settled} of ${deposits}`);
    await assertStateMirrored(sandbox);
  }
});

Deno.test("copied settlement: the proof is bound to its sender", async () => {
  const sandbox = await openWith(16);
  const body = sandbox.settleBody({ prover: sandbox.pool.relayer.address });
  const thief = sandbox.pool.owner.address;
  await assertRefused(sandbox, "ERR_PROOF_INVALID", () => sandbox.send(body, toNano("0.1"), { from: thief }));
});

Deno.test("a settlement with a wrong span, other commitments, another root or a foreign proof is refused", async () => {
  const sandbox = await openWith(30, 20);
  sandbox.pool.chain.now! += PARTIAL_BATCH_SECONDS;
  const [end, newRoot] = [30, freshElement()];
  for (const [what, signals] of Object.entries(falseSettlements(sandbox, end, newRoot))) {
    const attempt = () => sandbox.settle({ end, newRoot, signals });
    await assertRefused(sandbox, "ERR_PROOF_INVALID", attempt, what);
  }
  assertAccepted(await sandbox.settle({ end, newRoot }));
});

Deno.test("a proof with invalid points is refused", async () => {
  const sandbox = await openWith(16);
  const honest = sandbox.settleBody({}).refs[0];
  for (const [what, spoil] of Object.entries(invalidations)) {
    const proof = invalidateProof(unpackProof(honest), spoil);
    await assertRefused(sandbox, "ERR_PROOF_INVALID", () => sandbox.settle({ proof }), what);
  }
});

Deno.test("points outside their subgroups are refused in a withdrawal, a batch and a settlement", async () => {
  const sandbox = await V2Sandbox.open();
  await sandbox.setState({ deposits: 48, settled: 32, commitment: () => 1n, roots: [5n] });
  const [first, second, third] = sandbox.requests([{}, {}, {}]);
  const newRoot = 7n;
  const honest = sandbox.settleBody({ newRoot }).refs[0];
  const messages: [valid: Cell, send: (proof: Cell) => ReturnType<V2Sandbox["withdraw"]>][] = [
    [first.proof, (proof) => sandbox.withdraw({ ...first, proof })],
    [second.proof, (proof) => sandbox.withdrawMany([third, { ...second, proof }])],
    [honest, (proof) => sandbox.settle({ newRoot, proof })],
  ];
  for (const [valid, send] of messages) {
    const { a, c, b } = unpackProof(valid);
    for (const spoiled of [proofCell(leaveSubgroup(a), c, b), proofCell(a, leaveSubgroup(c), b)]) {
      await assertRefused(sandbox, "ERR_PROOF_INVALID", () => send(spoiled));
    }
    assertAccepted(await send(valid), "the subgroup was the fault");
  }
  assert.equal((await sandbox.pool.getPoolInfo()).withdrawals, 3);
});

Deno.test("a settlement with a wrong end is stale: nothing, the past, too far, past the chunk", async () => {
  const sandbox = await openWith(40, 20);
  sandbox.pool.chain.now! += PARTIAL_BATCH_SECONDS;
  for (const end of [0, 16, 19, 20, 33, 36, 40, 41, 48, 2 ** 32 - 1]) {
    await assertRefused(sandbox, "ERR_STALE_SETTLE", () => sandbox.settle({ end }), String(end));
  }
  const full = await openWith(20);
  assertAccepted(await full.settle());
  full.pool.chain.now! += PARTIAL_BATCH_SECONDS;
  await assertRefused(full, "ERR_STALE_SETTLE", () => full.settle({ end: 21 }), "beyond the deposits");
});

Deno.test("settling one deposit just before a full batch: the loser of the race is refused, the rest still settles", async () => {
  const sandbox = await openWith(16);
  const victim = sandbox.settleBody({ end: 16, from: sandbox.pool.user.address });
  const value = toNano("0.1");
  const cost = ({ sent: [{ info }] }: V2Outcome) => {
    assert.ok(info.type === "internal");
    return (Number(value - info.value.coins) / 1e9).toFixed(4);
  };
  assert.equal(cost(assertAccepted(await sandbox.settle({ end: 1, value }))), GRIEFER_COST);
  const from = sandbox.pool.user.address;
  const refused = () => sandbox.send(victim, value, { from });
  assert.equal(cost(await assertRefused(sandbox, "ERR_PROOF_INVALID", refused)), VICTIM_COST);
  assertAccepted(await sandbox.settle({ from }), "the other 15 complete the chunk at once");
  await assertRefused(sandbox, "ERR_STALE_SETTLE", () => sandbox.send(victim, toNano("0.1"), { from }));
});

Deno.test("root push-out: a batch that does not complete its chunk waits 30 s after the last settlement", async () => {
  const sandbox = await openWith(40);
  assertAccepted(await sandbox.settle({ end: 3 }), "the first settlement waits for none");
  for (const wait of [0, 1, PARTIAL_BATCH_SECONDS - 2]) {
    sandbox.pool.chain.now! += wait;
    await assertRefused(sandbox, "ERR_TOO_SOON", () => sandbox.settle({ end: 4 }), String(wait));
    await assertRefused(sandbox, "ERR_TOO_SOON", () => sandbox.settle({ end: 15 }), String(wait));
  }
  sandbox.pool.chain.now! += 1;
  assertAccepted(await sandbox.settle({ end: 4 }));
  assertAccepted(await sandbox.settle({ end: 16 }), "a batch that completes its chunk never waits");
  assertAccepted(await sandbox.settle({ end: 32 }));
  await assertRefused(sandbox, "ERR_TOO_SOON", () => sandbox.settle({ end: 40 }));
});

Deno.test("a settler who stops for a week: a depositor settles alone and at once", async () => {
  const sandbox = await openWith(17, 16);
  sandbox.pool.chain.now! += 7 * 86_400;
  const from = sandbox.pool.user.address;
  assertAccepted(await sandbox.settle({ from }));
  assertAccepted(await sandbox.withdraw());
});

Deno.test("a paused pool settles, and pays", async () => {
  const sandbox = await openWith(3);
  assertAccepted(
    await sandbox.send(storeAdmin("admin_pause"), toNano(1), { from: sandbox.pool.owner.address }),
  );
  assertAccepted(await sandbox.settle());
  assertAccepted(await sandbox.withdraw());
});

Deno.test("a settlement by a masterchain account is bound to it, and returned there", async () => {
  const sandbox = await openWith(1);
  const from = new Address(-1, sandbox.pool.user.address.hash);
  const [{ info }] = assertAccepted(await sandbox.settle({ from })).sent;
  assert.ok(info.type === "internal" && info.dest.equals(from));
});

Deno.test("a malformed settlement is refused, and a new root of r or more", async () => {
  const sandbox = await openWith(16);
  const body = sandbox.settleBody({});
  for (const [what, wrong] of Object.entries(malformedSettlements(body))) {
    await assertRefused(sandbox, "ERR_MALFORMED", () => sandbox.send(wrong, toNano("0.1")), what);
  }
  for (const newRoot of [FIELD_MODULUS, 2n ** 256n - 1n]) {
    await assertRefused(sandbox, "ERR_NOT_IN_FIELD", () => sandbox.settle({ newRoot }));
  }
  const zero = storeSettle({ queryId: 0n, newRoot: 0n, end: 0, proof: body.refs[0] });
  await assertRefused(sandbox, "ERR_STALE_SETTLE", () => sandbox.send(zero, toNano("0.1")));
});

Deno.test("a settlement without enough value is refused, and no reward is lost", async () => {
  const sandbox = await openWith(16);
  const outcome = await sandbox.settle({ value: toNano("0.005") });
  assert.notEqual(outcome.exitCode, 0);
  assertAccepted(await sandbox.settle({ value: toNano("0.02") }));
});

for (
  const [kind, open] of [
    ["native", () => V2Sandbox.open()],
    ["jetton", () => V2JettonSandbox.openJetton()],
  ] as const
) {
  Deno.test(`the history of a ${kind} pool keeps the newest 1,024 roots, at their numbers and nowhere else`, async () => {
    const sandbox = await open();
    const roots = Array.from({ length: ROOT_WINDOW + 3 }, freshElement);
    const commitment = (leafIndex: number) => BigInt(leafIndex);
    const state = { deposits: 5000, settled: 4992, commitment, roots, rootCount: 3000 };
    await sandbox.setState(state);
    for (const back of [0, 1, 2, 3, 4, 17, 64, 255, 256, 257, 1000, ROOT_WINDOW - 1]) {
      const [root, rootNumber] = [roots.at(-1 - back)!, 2999 - back];
      assertAccepted(await sandbox.withdraw({ root, rootNumber }), `${back} back`);
      for (const distance of [-ROOT_WINDOW, -1, 1, 2, ROOT_WINDOW]) {
        const other = rootNumber + distance;
        const attempt = () => sandbox.withdraw({ root, rootNumber: other });
        await assertRefused(sandbox, "ERR_UNKNOWN_ROOT", attempt, `${back} back as ${other}`);
      }
    }
    const [pushed, number] = [roots.at(-1 - ROOT_WINDOW)!, 2999 - ROOT_WINDOW];
    await assertRefused(
      sandbox,
      "ERR_UNKNOWN_ROOT",
      () => sandbox.withdraw({ root: pushed, rootNumber: number }),
    );
    const oldest = roots.at(-ROOT_WINDOW)!;
    assertAccepted(await sandbox.withdraw({ root: oldest, rootNumber: 3000 - ROOT_WINDOW }));
    sandbox.pool.chain.now! += PARTIAL_BATCH_SECONDS;
    assertAccepted(await sandbox.settle());
    await assertStateMirrored(sandbox);
    const late = () => sandbox.withdraw({ root: oldest, rootNumber: 3000 - ROOT_WINDOW });
    await assertRefused(sandbox, "ERR_UNKNOWN_ROOT", late, "pushed out by the next settlement");
  });
}

Deno.test("places of the history that were never written are no roots, nor is 0 or the empty root", async () => {
  const sandbox = await openWith(4);
  assertAccepted(await sandbox.settle({ end: 2 }));
  for (const rootNumber of [0, 1, 2, 1023, 1024, 1025, 2 ** 32 - 1]) {
    for (const root of [0n, zeros[20]]) {
      const attempt = () => sandbox.withdraw({ root, rootNumber });
      await assertRefused(sandbox, "ERR_UNKNOWN_ROOT", attempt, `${root} at ${rootNumber}`);
    }
  }
  const none = await openWith(2);
  for (const rootNumber of [0, 2 ** 32 - 1]) {
    await assertRefused(none, "ERR_UNKNOWN_ROOT", () => none.withdraw({ root: 0n, rootNumber }));
  }
});
