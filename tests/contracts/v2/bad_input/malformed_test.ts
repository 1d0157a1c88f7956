/**
 * Malformed proofs, parties and paths in withdrawals, batches and settlements of both kinds of version 2 pools. Every
 * cell is available as a library, so that a missing library is never the reason of a refusal.
 */
import assert from "node:assert/strict";
import { Address, beginCell, type Cell } from "@ton/core";
import { type ExitCodeName, exitCodes } from "../../../../src/core/errors/problem.ts";
import { storeWithdraw2, storeWithdrawMany } from "../../../../src/core/protocol/v2/messages.ts";
import { ROOT_WINDOW } from "../../../../src/core/protocol/v2/pool_constants.ts";
import { freshElement } from "../../../../testkit/chain/pool_sandbox.ts";
import { V2JettonSandbox } from "../../../../testkit/chain/v2/jetton_sandbox.ts";
import { V2Sandbox, type V2WithdrawChange } from "../../../../testkit/chain/v2/sandbox.ts";
import {
  alterCell,
  malformedParties,
  malformedProofs,
  offerLibraries,
} from "../../../support/contracts/malformed_bodies.ts";
import { assertAccepted, assertRefused } from "../../../support/contracts/v2_assertions.ts";
import { slotOf, wrongPaths } from "../../../support/contracts/v2_bad_paths.ts";

const VALUE = 5_000_000_000n;
const kinds = {
  native: { open: () => V2Sandbox.open(), batch: 16 },
  jetton: { open: (): Promise<V2Sandbox> => V2JettonSandbox.openJetton(), batch: 12 },
};

/** Returns the changes of the references that make a withdrawal or an item malformed. */
function malformedRefs([parties, proof, ...rest]: readonly Cell[]): [what: string, refs: Cell[]][] {
  return [
    ...Object.entries(malformedProofs).map(([what, spoil]): [string, Cell[]] => [
      `a proof ${what}`,
      [parties, spoil(proof), ...rest],
    ]),
    ...Object.entries(malformedParties).map(([what, store]): [string, Cell[]] => [
      `as parties: ${what}`,
      [store(beginCell()).endCell(), proof, ...rest],
    ]),
    ["parties and proof in the wrong order", [proof, parties, ...rest]],
  ];
}

/** Changes the references of the item at a position. An item's last reference is the next item. */
function changeItemRefs(item: Cell, at: number, change: (refs: readonly Cell[]) => Cell[]): Cell {
  const [own, next] = [item.refs.slice(0, 2), item.refs.slice(2)];
  if (at === 0) return alterCell(item, { refs: [...change(own), ...next] });
  return alterCell(item, { refs: [...own, changeItemRefs(next[0], at - 1, change)] });
}

for (const [kind, { open, batch }] of Object.entries(kinds)) {
  const openWithNotes = async (keys = 0) => {
    const sandbox = await open();
    const state = { deposits: 148, settled: 132, commitment: () => 1n, roots: [freshElement()] };
    await sandbox.setState({ ...state, spent: slotOf(keys) });
    return sandbox;
  };

  Deno.test(`${kind} pool: a withdrawal with a malformed proof or malformed parties is ERR_MALFORMED`, async (t) => {
    const sandbox = await openWithNotes();
    const body = storeWithdraw2(sandbox.request(), 0n);
    offerLibraries(sandbox.pool, body);
    for (const [what, refs] of malformedRefs(body.refs)) {
      const attempt = () => sandbox.send(alterCell(body, { refs }), VALUE);
      await t.step(what, () => assertRefused(sandbox, "ERR_MALFORMED", attempt).then(() => {}));
    }
    assertAccepted(await sandbox.send(body, VALUE), "nothing else was wrong");
  });

  Deno.test(`${kind} pool: an item with a malformed proof or malformed parties refuses the batch, at each position`, async (t) => {
    const sandbox = await openWithNotes();
    const body = storeWithdrawMany(sandbox.requests([{}, {}, {}]), 0n);
    for (const at of [0, 1, 2]) {
      let item = body.refs[0];
      for (let i = 0; i < at; i++) item = item.refs[2];
      offerLibraries(sandbox.pool, item);
      for (const [what, refs] of malformedRefs(item.refs.slice(0, 2))) {
        const attempt = () =>
          sandbox.send(alterCell(body, { refs: [changeItemRefs(body.refs[0], at, () => refs)] }), VALUE);
        await t.step(
          `item ${at}: ${what}`,
          () => assertRefused(sandbox, "ERR_MALFORMED", attempt).then(() => {}),
        );
      }
    }
    assertAccepted(await sandbox.send(body, VALUE), "nothing else was wrong");
  });

  Deno.test(`${kind} pool: a settlement with a malformed proof is ERR_MALFORMED, with a withdrawal's ERR_PROOF_INVALID`, async (t) => {
    const sandbox = await openWithNotes();
    const body = sandbox.settleBody({ newRoot: 7n });
    offerLibraries(sandbox.pool, body);
    const from = sandbox.pool.relayer.address;
    for (const [what, spoil] of Object.entries(malformedProofs)) {
      const attempt = () => sandbox.send(alterCell(body, { refs: [spoil(body.refs[0])] }), VALUE, { from });
      await t.step(what, () => assertRefused(sandbox, "ERR_MALFORMED", attempt).then(() => {}));
    }
    const { proof } = sandbox.request();
    await assertRefused(sandbox, "ERR_PROOF_INVALID", () => sandbox.settle({ newRoot: 7n, proof }));
    const settlement = body.refs[0];
    await assertRefused(
      sandbox,
      "ERR_PROOF_INVALID",
      () => sandbox.withdraw({ proof: settlement, value: VALUE }),
    );
    assertAccepted(await sandbox.send(body, VALUE, { from }), "nothing else was wrong");
  });

  Deno.test(`${kind} pool: no batch names a relayer that cannot be paid, or charges a fee without one`, async () => {
    const sandbox = await openWithNotes();
    const { pool } = sandbox;
    const size = 4;
    const send = (change: (i: number) => V2WithdrawChange) => () =>
      sandbox.withdrawMany(Array.from({ length: size }, (_, i) => change(i)), { value: VALUE });
    const refuse = (code: ExitCodeName, attempt: () => ReturnType<V2Sandbox["withdrawMany"]>, what: string) =>
      assertRefused(sandbox, code, attempt, what);
    await refuse("ERR_BAD_ADDRESS", send(() => ({ relayer: pool.address })), "the pool");
    const elsewhere = new Address(1, pool.relayer.address.hash);
    await refuse("ERR_BAD_ADDRESS", send(() => ({ relayer: elsewhere })), "another workchain");
    for (let at = 0; at < size; at++) {
      const none = (fee: bigint) => ({ relayer: null, fee });
      await refuse("ERR_FEE_TOO_HIGH", send((i) => none(i === at ? 1n : 0n)), `a fee at ${at}`);
      await refuse("ERR_MALFORMED", send((i) => i === at ? none(0n) : {}), `no relayer at ${at}`);
    }
    assertAccepted(await send(() => ({ relayer: null, fee: 0n }))());
  });

  Deno.test(`${kind} pool: one false proof refuses the largest batch, at each position`, async () => {
    const sandbox = await openWithNotes();
    for (let at = 0; at < batch; at++) {
      const changes = Array.from(
        { length: batch },
        (_, i) => i === at ? { signals: [1n, 2n, 3n, 4n, 5n, 6n] } : {},
      );
      const attempt = () => sandbox.withdrawMany(changes, { value: VALUE });
      await assertRefused(sandbox, "ERR_PROOF_INVALID", attempt, `position ${at}`);
    }
  });

  Deno.test(`${kind} pool: a malformed path refuses the batch, and a stale one is skipped, at each position`, async (t) => {
    const sandbox = await openWithNotes(40);
    const nullifierHash = (99n << 12n) | 5n;
    for (const [what, [carried, code]] of Object.entries(wrongPaths(sandbox.spent, nullifierHash))) {
      await t.step(what, async () => {
        for (const at of [0, 1, 2]) {
          const changes = Array.from({ length: 3 }, (_, i) => i === at ? { nullifierHash, carried } : {});
          const attempt = () => sandbox.withdrawMany(changes, { value: VALUE });
          if (code === "ERR_MALFORMED") await assertRefused(sandbox, code, attempt, `position ${at}`);
          else {
            const { logs } = assertAccepted(await attempt());
            assert.deepEqual(logs.map((log) => log?.kind === "skipped" ? log.code : log?.kind), [
              "withdrawal",
              "withdrawal",
              exitCodes[code],
            ]);
          }
        }
      });
    }
  });

  Deno.test(`${kind} pool: a root that was pushed out is unknown, at its place in the history too`, async () => {
    const sandbox = await open();
    const roots = Array.from({ length: ROOT_WINDOW }, (_, i) => BigInt(i) + 1n);
    await sandbox.setState({ deposits: 100, settled: 100, commitment: () => 1n, roots, rootCount: 5_000 });
    const [root, rootNumber] = [sandbox.root, 4_999];
    for (const older of [ROOT_WINDOW, 2 * ROOT_WINDOW]) {
      const change = { root, rootNumber: rootNumber - older };
      await assertRefused(sandbox, "ERR_UNKNOWN_ROOT", () => sandbox.withdraw({ ...change, value: VALUE }));
      const alone = () => sandbox.withdrawMany([change], { value: VALUE });
      await assertRefused(sandbox, "ERR_ALREADY_SPENT", alone, "nothing is left of the batch");
    }
    assertAccepted(
      await sandbox.withdraw({ root: 1n, rootNumber: 5_000 - ROOT_WINDOW, value: VALUE }),
      "the oldest",
    );
  });

  Deno.test(`${kind} pool: a proof fits a twin pool with the same root, and no other pool; its payees stay bound`, async () => {
    const [pool, twin, other] = [await open(), await open(), await open()];
    const state = { deposits: 20, settled: 16, commitment: () => 1n, roots: [freshElement()] };
    for (const each of [pool, twin]) await each.setState(state);
    await other.setState({ ...state, roots: [freshElement()] });
    const request = pool.request();
    const body = storeWithdraw2(request, 0n);
    assertAccepted(await pool.send(body, VALUE));
    await assertRefused(other, "ERR_UNKNOWN_ROOT", () => other.send(body, VALUE));
    const { relayer, user } = pool.pool;
    const stolen = storeWithdraw2({ ...request, recipient: new Address(0, Buffer.alloc(32, 9)) }, 0n);
    await assertRefused(twin, "ERR_PROOF_INVALID", () => twin.send(stolen, VALUE));
    assertAccepted(await twin.send(body, VALUE));
    const settlement = pool.settleBody({});
    await assertRefused(
      other,
      "ERR_PROOF_INVALID",
      () => other.send(settlement, VALUE, { from: relayer.address }),
    );
    await assertRefused(
      twin,
      "ERR_PROOF_INVALID",
      () => twin.send(settlement, VALUE, { from: user.address }),
    );
  });
}
