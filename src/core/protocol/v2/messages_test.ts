import assert from "node:assert/strict";
import { Address, beginCell, Cell } from "@ton/core";
import { Problem } from "../../errors/problem.ts";
import {
  depositComment,
  loadDepositComment,
  loadEnqueue,
  loadSettle,
  loadV2PoolLog,
  loadWithdraw2,
  loadWithdrawMany,
  parseDepositComment,
  storeDepositComment,
  storeEnqueue,
  storeSettle,
  storeWithdraw2,
  storeWithdrawMany,
  v2OpCodes,
  type WithdrawRequest,
} from "./messages.ts";

const proof = beginCell().storeUint(7, 8).endCell();
const request = (nullifierHash: bigint): WithdrawRequest => ({
  root: 5n,
  rootNumber: 1030,
  nullifierHash,
  fee: 1_000n,
  refund: 0n,
  recipient: new Address(0, Buffer.alloc(32, 1)),
  relayer: new Address(-1, Buffer.alloc(32, 2)),
  proof,
  carried: nullifierHash % 2n ? Cell.EMPTY : null,
});

const plain = (value: unknown): unknown =>
  value instanceof Cell || value instanceof Address
    ? value.toString()
    : Array.isArray(value)
    ? value.map(plain)
    : value !== null && typeof value === "object"
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]))
    : value;
const assertSame = (actual: unknown, expected: unknown) => assert.deepEqual(plain(actual), plain(expected));

Deno.test("bodies load as they were stored", () => {
  const enqueue = { queryId: 3n, commitment: 2n ** 255n };
  assertSame(loadEnqueue(storeEnqueue(enqueue)), enqueue);
  const settle = { queryId: 3n, newRoot: 9n, end: 48, proof };
  assertSame(loadSettle(storeSettle(settle)), settle);
  assertSame(loadWithdraw2(storeWithdraw2(request(4n), 8n)), { queryId: 8n, ...request(4n) });
  for (const count of [1, 2, 16]) {
    const requests = Array.from({ length: count }, (_, i) => request(BigInt(i)));
    assertSame(loadWithdrawMany(storeWithdrawMany(requests, 8n)), { queryId: 8n, requests });
  }
  assert.throws(() => storeWithdrawMany([], 0n), RangeError);
});

Deno.test("a comment loads as it was stored, or split by tonlib; a longer or shorter one does not", () => {
  const body = storeDepositComment(7n);
  assert.equal(loadDepositComment(body), 7n);
  const text = body.beginParse().skip(32);
  const withText = (op: number, ...more: number[]) =>
    more.reduce(
      (builder, byte) => builder.storeUint(byte, 8),
      beginCell().storeUint(op, 32).storeSlice(text.clone()),
    );
  assert.equal(loadDepositComment(withText(0).endCell()), 7n);
  // tonlib writes the op and 35 bytes into the root. The contract's tests compare every other split with the library.
  const rest = beginCell().storeSlice(body.beginParse().skip(32 + 8 * 35)).endCell();
  const split = beginCell().storeBits(body.bits.substring(0, 32 + 8 * 35)).storeRef(rest).endCell();
  assert.equal(loadDepositComment(split), 7n);
  const exotic = beginCell().storeUint(2, 8).storeBuffer(body.hash()).endCell({ exotic: true });
  assert.equal(loadDepositComment(exotic), undefined);
  assert.equal(loadDepositComment(withText(1).endCell()), undefined);
  assert.equal(loadDepositComment(withText(0, 0x20).endCell()), undefined);
  assert.equal(loadDepositComment(withText(0).storeRef(Cell.EMPTY).endCell()), undefined);
  assert.equal(loadDepositComment(beginCell().storeUint(0, 32).endCell()), undefined);
  assert.equal(loadDepositComment(Cell.EMPTY), undefined);
});

Deno.test("another op, a bit too much and a bit too little are rejected", () => {
  const rejected = (load: () => unknown) =>
    assert.throws(load, (error) => error instanceof Problem && error.code === "invalid_request");
  const bodies = [
    [loadEnqueue, storeEnqueue({ queryId: 0n, commitment: 1n })],
    [loadSettle, storeSettle({ queryId: 0n, newRoot: 1n, end: 1, proof })],
    [loadWithdraw2, storeWithdraw2(request(1n), 0n)],
    [loadWithdrawMany, storeWithdrawMany([request(1n)], 0n)],
  ] as const;
  for (const [load, body] of bodies) {
    rejected(() => load(Cell.EMPTY));
    rejected(() => load(beginCell().storeSlice(body.beginParse()).storeBit(1).endCell()));
    rejected(() => load(beginCell().storeUint(1, 32).storeSlice(body.beginParse().skip(32)).endCell()));
  }
  rejected(() => loadV2PoolLog(beginCell().storeUint(v2OpCodes.skipped_log, 32).endCell()));
  assert.equal(loadV2PoolLog(Cell.EMPTY), undefined);
});

Deno.test("a comment names its commitment; every other character at every place is refused", () => {
  const commitment = 0x3fa0b1c2d4e5f60718293a4b5c6d7e8f90abcdef0123456789fedcba98765432n;
  const good = depositComment(commitment);
  assert.equal(good.length, 79);
  assert.equal(depositComment(1n), `tonado:${"0".repeat(63)}1ec4916dd`);
  assert.equal(parseDepositComment(good), commitment);
  for (let at = 0; at < 79; at++) {
    for (let code = 0; code < 256; code++) {
      const char = String.fromCharCode(code);
      const text = good.slice(0, at) + char + good.slice(at + 1);
      const same = at < 7 ? text === good : text.toLowerCase() === good;
      assert.equal(parseDepositComment(text) !== undefined, same, `${code} at ${at}`);
    }
  }
});
