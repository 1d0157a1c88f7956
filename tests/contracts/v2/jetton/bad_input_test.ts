/** Bad input to a version 2 jetton pool. Settlements, paths and batches are the same as for a native pool. */
import assert from "node:assert/strict";
import { Address, toNano } from "@ton/core";
import { FIELD_MODULUS } from "../../../../src/core/crypto/field.ts";
import { exitCodes } from "../../../../src/core/errors/problem.ts";
import { storeWithdrawMany } from "../../../../src/core/protocol/v2/messages.ts";
import { PARTIAL_BATCH_SECONDS } from "../../../../src/core/protocol/v2/pool_constants.ts";
import { freshElement } from "../../../../testkit/chain/pool_sandbox.ts";
import { V2JettonSandbox } from "../../../../testkit/chain/v2/jetton_sandbox.ts";
import type { V2WithdrawChange } from "../../../../testkit/chain/v2/sandbox.ts";
import { invalidateProof, invalidations, unpackProof } from "../../../support/contracts/invalid_proofs.ts";
import {
  assertAccepted,
  assertRefused,
  assertStateMirrored,
} from "../../../support/contracts/v2_assertions.ts";
import { itemFaults, malformedBatches, skippedItems } from "../../../support/contracts/v2_bad_items.ts";
import { slotOf, wrongPaths } from "../../../support/contracts/v2_bad_paths.ts";
import { falseSettlements, malformedSettlements } from "../../../support/contracts/v2_bad_settlements.ts";

const VALUE = toNano(5);

async function openWithQueue(deposits: number, settled: number): Promise<V2JettonSandbox> {
  const sandbox = await V2JettonSandbox.openJetton();
  const commitments = Array.from({ length: deposits }, freshElement);
  const roots = [freshElement(), freshElement()];
  await sandbox.setState({ deposits, settled, roots, commitment: (leafIndex) => commitments[leafIndex] });
  return sandbox;
}

/** Opens a pool whose slot 5 has `keys` keys. */
async function openWithNotes(keys = 3): Promise<V2JettonSandbox> {
  const sandbox = await V2JettonSandbox.openJetton();
  const state = { deposits: 100, settled: 100, commitment: () => 1n, roots: [freshElement()] };
  await sandbox.setState({ ...state, spent: slotOf(keys) });
  return sandbox;
}

Deno.test("a jetton pool refuses a settlement with a wrong span, other commitments, another root or a foreign proof", async () => {
  const sandbox = await openWithQueue(30, 20);
  sandbox.pool.chain.now! += PARTIAL_BATCH_SECONDS;
  const [end, newRoot] = [30, freshElement()];
  for (const [what, signals] of Object.entries(falseSettlements(sandbox, end, newRoot))) {
    const attempt = () => sandbox.settle({ end, newRoot, signals });
    await assertRefused(sandbox, "ERR_PROOF_INVALID", attempt, what);
  }
  const honest = sandbox.settleBody({ end, newRoot }).refs[0];
  for (const [what, spoil] of Object.entries(invalidations)) {
    const proof = invalidateProof(unpackProof(honest), spoil);
    await assertRefused(sandbox, "ERR_PROOF_INVALID", () => sandbox.settle({ end, newRoot, proof }), what);
  }
  assertAccepted(await sandbox.settle({ end, newRoot }));
  await assertStateMirrored(sandbox);
});

Deno.test("a jetton pool refuses a settlement with a wrong end, a malformed one, and a new root of r or more", async () => {
  const sandbox = await openWithQueue(40, 20);
  sandbox.pool.chain.now! += PARTIAL_BATCH_SECONDS;
  for (const end of [0, 16, 19, 20, 33, 36, 40, 41, 48, 2 ** 32 - 1]) {
    await assertRefused(sandbox, "ERR_STALE_SETTLE", () => sandbox.settle({ end }), String(end));
  }
  for (const [what, body] of Object.entries(malformedSettlements(sandbox.settleBody({})))) {
    await assertRefused(sandbox, "ERR_MALFORMED", () => sandbox.send(body, toNano("0.1")), what);
  }
  for (const newRoot of [FIELD_MODULUS, 2n ** 256n - 1n]) {
    await assertRefused(sandbox, "ERR_NOT_IN_FIELD", () => sandbox.settle({ newRoot }));
  }
  assertAccepted(await sandbox.settle());
});

Deno.test("root push-out: a jetton pool, too, accepts a part of a chunk only 30 s after the last settlement", async () => {
  const sandbox = await openWithQueue(40, 0);
  assertAccepted(await sandbox.settle({ end: 3 }));
  sandbox.pool.chain.now! += PARTIAL_BATCH_SECONDS - 1;
  for (const end of [4, 15]) await assertRefused(sandbox, "ERR_TOO_SOON", () => sandbox.settle({ end }));
  assertAccepted(await sandbox.settle({ end: 16 }), "a batch that completes its chunk never waits");
  await assertRefused(sandbox, "ERR_TOO_SOON", () => sandbox.settle({ end: 31 }));
  sandbox.pool.chain.now! += PARTIAL_BATCH_SECONDS;
  assertAccepted(await sandbox.settle({ end: 31 }));
});

Deno.test("a jetton pool refuses a malformed carried path of any shape with a named code, before any pairing", async (t) => {
  for (const keys of [1, 5, 40]) {
    const sandbox = await openWithNotes(keys);
    const nullifierHash = (BigInt(keys + 3) << 12n) | 5n;
    for (const [what, [carried, code]] of Object.entries(wrongPaths(sandbox.spent, nullifierHash))) {
      await t.step(`${keys} keys: ${what}`, async () => {
        const attempt = () => sandbox.withdraw({ nullifierHash, carried, value: VALUE });
        const { gasUsed } = await assertRefused(sandbox, code, attempt, what);
        assert.ok(gasUsed < 20_000n, `${gasUsed} gas`);
      });
    }
    const victim = sandbox.request({ nullifierHash });
    assertAccepted(await sandbox.withdraw({ nullifierHash: (99n << 12n) | 5n, value: VALUE }));
    const stale = () => sandbox.withdraw({ ...victim, value: VALUE });
    await assertRefused(sandbox, "ERR_STALE_SLOT", stale, "stale slot on purpose");
    const carried = sandbox.spent.slotPath(nullifierHash);
    assertAccepted(await sandbox.withdraw({ ...victim, carried, value: VALUE }), "the same proof");
    await assertStateMirrored(sandbox);
  }
});

Deno.test("a jetton pool refuses a withdrawal changed after proving: payees, fee, refund, nullifier hash", async () => {
  const sandbox = await openWithNotes();
  const { owner } = sandbox.pool;
  const { proof } = sandbox.request({ nullifierHash: 77n });
  const changes: V2WithdrawChange[] = [
    { recipient: owner.address },
    { recipient: new Address(0, Buffer.alloc(32, 9)) },
    { relayer: owner.address },
    { fee: 50_000_001n },
    { refund: 1n },
    { nullifierHash: 78n },
  ];
  for (const change of changes) {
    const attempt = () => sandbox.withdraw({ nullifierHash: 77n, ...change, proof, value: VALUE });
    await assertRefused(sandbox, "ERR_PROOF_INVALID", attempt, Object.keys(change).join());
  }
  assertAccepted(await sandbox.withdraw({ nullifierHash: 77n, proof, value: VALUE }));
});

for (const [what, [code, faulty]] of Object.entries(itemFaults)) {
  Deno.test(`jettons: one item with ${what} refuses the whole message, at each position`, async () => {
    const sandbox = await openWithNotes();
    for (let at = 0; at < 4; at++) {
      const changes = Array.from({ length: 4 }, (_, i) => i === at ? faulty(sandbox) : {});
      const attempt = () => sandbox.withdrawMany(changes, { value: VALUE });
      await assertRefused(sandbox, code, attempt, `position ${at}`);
    }
  });
}

Deno.test("jettons: a message or an item of another layout refuses the whole message, at each position", async (t) => {
  const sandbox = await openWithNotes();
  for (const [what, body] of Object.entries(malformedBatches(sandbox.requests([{}, {}, {}])))) {
    await t.step(what, async () => {
      await assertRefused(sandbox, "ERR_MALFORMED", () => sandbox.send(body, VALUE));
    });
  }
});

for (const [what, [code, skipped]] of Object.entries(skippedItems)) {
  Deno.test(`jettons: an item with ${what} is skipped with a log, at each position; the others are paid`, async () => {
    const sandbox = await openWithNotes();
    for (let at = 0; at < 3; at++) {
      const bad = { ...skipped(sandbox), signals: [1n, 1n, 1n, 1n, 1n, 1n] }; // skipped withdrawals have no proof
      const changes: V2WithdrawChange[] = Array.from({ length: 3 }, (_, i) => i === at ? bad : {});
      const requests = changes.map((change) => sandbox.request(change));
      const outcome = assertAccepted(await sandbox.send(storeWithdrawMany(requests, 0n), VALUE));
      const logs = outcome.logs.map((log) => log?.kind === "skipped" ? log.code : log?.kind);
      assert.deepEqual(logs, ["withdrawal", "withdrawal", exitCodes[code]]);
      for (const log of outcome.logs) if (log?.kind === "withdrawal") sandbox.spent.add(log.nullifierHash);
      await assertStateMirrored(sandbox);
    }
  });
}

Deno.test("jettons: duplicate and copied commitments are accepted, each as a leaf of its own", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const commitment = freshElement();
  for (let i = 0; i < 3; i++) {
    const { logs } = assertAccepted(await sandbox.deposit({ commitment }));
    assert.ok(logs[0]?.kind === "deposit" && logs[0].leafIndex === i);
  }
  assertAccepted(await sandbox.settle());
  for (let i = 0; i < 3; i++) assertAccepted(await sandbox.withdraw({ value: VALUE }));
  assert.equal(await sandbox.balanceOf(sandbox.pool.address), 0n);
  await assertStateMirrored(sandbox);
});
