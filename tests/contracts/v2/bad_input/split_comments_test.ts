/**
 * Deposit comments in several cells. The pool queues a comment exactly if the library reads it, and returns every
 * other one.
 */
import assert from "node:assert/strict";
import { beginCell, Cell } from "@ton/core";
import fc from "fast-check";
import { depositComment, loadDepositComment } from "../../../../src/core/protocol/v2/messages.ts";
import { commentBody, splitComment, V2Sandbox } from "../../../../testkit/chain/v2/sandbox.ts";
import { propertyParameters } from "../../../../testkit/random/property_runs.ts";
import {
  alterCell,
  appendBit,
  appendEmptyRef,
  libraryReference,
  offerLibraries,
} from "../../../support/contracts/malformed_bodies.ts";
import { assertAccepted, assertDepositReturned } from "../../../support/contracts/v2_assertions.ts";

const PREFIX_BITS = 88; // op and "tonado:"
const COMMENT_BITS = 664;
// tonlib writes the op and at most 35 bytes into the root, and the rest into a reference (ton-blockchain/ton,
// crypto/smc-envelope/WalletInterface.cpp, store_gift_message).
const TONLIB_CUT = 32 + 8 * 35;

const commitment = 0x3fa0b1c2d4e5f60718293a4b5c6d7e8f90abcdef0123456789fedcba98765432n;
const whole = commentBody(depositComment(commitment));
const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + step * i);

async function assertRead(sandbox: V2Sandbox, body: Cell, what: string): Promise<bigint> {
  assert.equal(loadDepositComment(body), commitment, what);
  const outcome = assertAccepted(await sandbox.send(body, sandbox.pool.denomination), what);
  const [log] = outcome.logs;
  assert.equal(log?.kind === "deposit" && log.commitment, commitment, what);
  return outcome.gasUsed;
}

async function assertReturned(sandbox: V2Sandbox, body: Cell): Promise<void> {
  assert.equal(loadDepositComment(body), undefined);
  const send = () => sandbox.send(body, sandbox.pool.denomination, { bounce: false });
  await assertDepositReturned(sandbox, "ERR_MALFORMED", sandbox.pool.user.address, send);
}

Deno.test("a comment as tonlib splits it is a deposit", async () => {
  await assertRead(await V2Sandbox.open(), splitComment(whole, [TONLIB_CUT]), "35 bytes in the root");
});

Deno.test("a comment in two cells is a deposit exactly if the root has the prefix and neither cell is empty", async () => {
  const sandbox = await V2Sandbox.open();
  for (const cut of range(0, COMMENT_BITS + 1)) {
    const body = splitComment(whole, [cut]);
    if (cut < PREFIX_BITS || cut === COMMENT_BITS) await assertReturned(sandbox, body);
    else await assertRead(sandbox, body, `cut at ${cut}`);
  }
});

/** Two or three cuts, often next to each other: a part may be a single bit. */
const someCuts = fc.tuple(
  fc.integer({ min: PREFIX_BITS, max: COMMENT_BITS - 1 }),
  fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: COMMENT_BITS })), {
    minLength: 1,
    maxLength: 2,
  }),
).map(([first, steps]) =>
  steps.reduce((cuts, step) => [...cuts, cuts.at(-1)! + step], [first]).filter((cut) => cut < COMMENT_BITS)
);

Deno.test("a comment in three or four cells is a deposit, wherever it is split", async () => {
  const sandbox = await V2Sandbox.open();
  await fc.assert(
    fc.asyncProperty(
      someCuts,
      async (cuts) => void await assertRead(sandbox, splitComment(whole, cuts), `${cuts}`),
    ),
    propertyParameters(150),
  );
});

Deno.test("a deposit by comment takes at most 14,000 gas in any number of cells", async () => {
  const sandbox = await V2Sandbox.open();
  await sandbox.setState({ deposits: 20, settled: 16, commitment: (leafIndex) => BigInt(leafIndex) + 1n });
  for (const cuts of [[], [TONLIB_CUT], [88, 312], [88, 96, 104], [648, 656, 663]]) {
    const gas = await assertRead(sandbox, splitComment(whole, cuts), `${cuts}`);
    assert.ok(gas <= (cuts.length === 0 ? 11_785n : 14_000n), `${cuts.length + 1} cells take ${gas}`);
  }
});

/** Replaces the cell at this depth of a chain. */
function changeCell(body: Cell, depth: number, change: (cell: Cell) => Cell): Cell {
  return depth === 0
    ? change(body)
    : alterCell(body, { refs: [changeCell(body.refs[0], depth - 1, change)] });
}
const empty = (next: Cell) => beginCell().storeRef(next).endCell();
const text = (body: Cell, ...more: number[]) =>
  alterCell(body, { tail: (b) => b.storeBuffer(Buffer.from(more)) });
const long = beginCell().storeBits(whole.bits).storeUint(0, 1023 - COMMENT_BITS);
const broken: Record<string, Cell> = {
  "five cells": splitComment(whole, [152, 216, 280, 344]),
  "a cell for each byte": splitComment(whole, range(PREFIX_BITS, COMMENT_BITS, 8)),
  "83 bytes of text": text(splitComment(whole, [TONLIB_CUT]), 0x30),
  "an empty root": empty(whole),
  "the op alone in the root": splitComment(whole, [32]),
  "three cells and an empty one": splitComment(whole, [152, 216, COMMENT_BITS]),
  "an empty cell between two": alterCell(splitComment(whole, [312]), {
    refs: [empty(splitComment(whole, [312]).refs[0])],
  }),
  "a cell overflow": alterCell(long.endCell(), { refs: [whole] }),
  "a cell overflow in the second cell": alterCell(splitComment(whole, [312]), { refs: [long.endCell()] }),
  "another text in the second cell": alterCell(splitComment(whole, [312]), {
    refs: [commentBody("0".repeat(40))],
  }),
};
for (const [what, cuts] of [["two", [312]], ["three", [312, 320]], ["four", [312, 320, 328]]] as const) {
  const body = splitComment(whole, cuts);
  for (let depth = 0; depth <= cuts.length; depth++) {
    const change = (fault: (cell: Cell) => Cell) => changeCell(body, depth, fault);
    broken[`a spare reference in cell ${depth + 1} of ${what}`] = change((cell) =>
      alterCell(cell, { tail: appendEmptyRef })
    );
    broken[`a bit too much in cell ${depth + 1} of ${what}`] = change((cell) =>
      alterCell(cell, { tail: appendBit })
    );
    broken[`a byte too much in cell ${depth + 1} of ${what}`] = change((cell) => text(cell, 0x30));
    broken[`a bit too little in cell ${depth + 1} of ${what}`] = change((cell) =>
      alterCell(cell, { bits: cell.bits.length - 1 })
    );
    if (depth > 0) {
      broken[`a library reference as cell ${depth + 1} of ${what}`] = change(libraryReference);
    }
  }
}
for (const refs of [2, 3, 4]) {
  broken[`the rest and ${refs - 1} more references`] = alterCell(splitComment(whole, [312]), {
    refs: [splitComment(whole, [312]).refs[0], ...Array.from({ length: refs - 1 }, () => Cell.EMPTY)],
  });
  broken[`${refs} parts beside each other`] = alterCell(whole, {
    bits: 312,
    refs: Array.from({ length: refs }, () => splitComment(whole, [312]).refs[0]),
  });
}

Deno.test("a comment in several cells comes back in every other form", async (t) => {
  const sandbox = await V2Sandbox.open();
  offerLibraries(sandbox.pool, splitComment(whole, [312, 320, 328]));
  for (const [what, body] of Object.entries(broken)) {
    await t.step(what, () => assertReturned(sandbox, body));
  }
});
