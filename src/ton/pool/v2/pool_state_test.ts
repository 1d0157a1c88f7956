/** The cells of a version 2 pool, read as contracts/v2/SPEC.md describes them. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Address, type Cell } from "@ton/core";
import { SpentSet } from "../../../core/protocol/v2/spent_set.ts";
import { zeros } from "../../../core/tree/zeros.ts";
import {
  decodeLedger,
  decodeV2PoolData,
  emptyV2PoolState,
  encodeQueue,
  encodeRoots,
  encodeV2PoolData,
  type V2PoolState,
} from "./pool_state.ts";

const [owner, master, wallet] = [7, 8, 9].map((byte) => new Address(0, Buffer.alloc(32, byte)));
const native = emptyV2PoolState({ denomination: 10n ** 9n, owner, generation: 3 });

function stateOf(change: Partial<V2PoolState> = {}): V2PoolState {
  const spent = new SpentSet();
  spent.add(5n);
  return {
    ...native,
    deposits: 600,
    settled: 300,
    withdrawals: 41,
    debt: 42n,
    pending: 43n,
    touched: 44,
    settledAt: 45,
    waitingSince: 46,
    paused: true,
    spent,
    commitment: (i: number) => BigInt(i) + 1_000n,
    roots: [11n, 12n, 13n],
    ...change,
  };
}

Deno.test("every stored member of a pool's state is read back", () => {
  const state = stateOf();
  const { newest, complete, spent, roots, ...numbers } = decodeV2PoolData(encodeV2PoolData(state));
  deepEqual(numbers, {
    denomination: 10n ** 9n,
    deposits: 600,
    settled: 300,
    withdrawals: 41,
    debt: 42n,
    pending: 43n,
    touched: 44,
    settledAt: 45,
    waitingSince: 46,
    paused: true,
    rootCount: 3,
    root: 13n,
  });
  ok(spent.equals(state.spent.table()));
  ok(roots.equals(encodeRoots(state)));
  const queue = encodeQueue(state);
  ok(newest.equals(queue.newest));
  deepEqual(complete.keys(), queue.complete.keys());
});

Deno.test("a new pool has no deposits and the root of the empty tree", () => {
  const { root, rootCount, deposits, paused, complete, newest } = decodeV2PoolData(encodeV2PoolData(native));
  deepEqual([root, rootCount, deposits, paused, complete.size, newest.bits.length], [
    zeros[20],
    0,
    0,
    false,
    0,
    0,
  ]);
});

Deno.test("settlements are counted beyond the roots that are kept", () => {
  equal(decodeV2PoolData(encodeV2PoolData(stateOf({ rootCount: 5_000 }))).rootCount, 5_000);
  equal(decodeV2PoolData(encodeV2PoolData(stateOf({ rootCount: 5_000, roots: [] }))).root, zeros[20]);
});

Deno.test("a jetton pool stores its jetton and claims in place of the root history", () => {
  const claims = [{ id: 2n ** 64n - 1n, amount: 4n, destination: owner }, {
    id: 1n,
    amount: 5n,
    destination: master,
  }];
  const state = stateOf({ jetton: { master, wallet, claims } });
  const ledger = decodeLedger(decodeV2PoolData(encodeV2PoolData(state)).roots);
  deepEqual([ledger.generation, ledger.claimCount], [3, 2]);
  deepEqual([ledger.owner, ledger.master, ledger.wallet].map((each) => each?.toRawString()), [
    ...[owner, master, wallet].map((each) => each.toRawString()),
  ]);
  deepEqual(
    [...ledger.claims].map(([id, { amount, destination }]) => [id, amount, destination.toRawString()]),
    [
      [1n, 5n, master.toRawString()],
      [2n ** 64n - 1n, 4n, owner.toRawString()],
    ],
  );
  equal(ledger.roots.bits.length, 0, "the settings are in the ledger");
  const early = decodeLedger(
    decodeV2PoolData(encodeV2PoolData(stateOf({ owner: null, jetton: { master, wallet: null, claims: [] } })))
      .roots,
  );
  deepEqual([early.owner, early.wallet, early.claimCount, early.claims.size], [null, null, 0, 0]);
});

/** Reads a list: the newest first, four in a cell. */
function listOf(list: Cell): number[] {
  const slice = list.beginParse();
  const found: number[] = [];
  while (slice.remainingBits > 0) found.push(Number(slice.loadUintBig(255)));
  ok(found.length <= 4);
  return [...found, ...slice.remainingRefs > 0 ? listOf(slice.loadRef()) : []];
}
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

const queues: [settled: number, deposits: number, complete: number[], newest: [from: number, to: number]][] =
  [
    [0, 0, [], [0, 0]],
    [0, 1, [], [0, 1]],
    [0, 255, [], [0, 255]],
    [0, 256, [0], [0, 0]],
    [16, 257, [0], [256, 257]],
    [255, 600, [0, 1], [512, 600]],
    [256, 600, [1], [512, 600]],
    [512, 512, [], [0, 0]],
  ];
for (const [settled, deposits, complete, [from, to]] of queues) {
  Deno.test(`with ${settled} of ${deposits} settled, complete lists are ${complete.join()}`, () => {
    const queue = encodeQueue({ settled, deposits, commitment: BigInt });
    deepEqual(queue.complete.keys(), complete);
    for (const place of complete) {
      deepEqual(listOf(queue.complete.get(place)!).reverse(), range(256 * place, 256 * place + 256));
    }
    deepEqual(listOf(queue.newest).reverse(), range(from, to));
  });
}

/** Reads the root at a place: four forks by two bits each, the low bits first, then four roots to a cell. */
function rootAt(roots: Cell, place: number): bigint {
  let cell = roots;
  for (let level = 0; level < 4; level++) cell = cell.refs[((place >> 2) >> (2 * level)) & 3];
  const slice = cell.beginParse();
  slice.skip(255 * (place & 3));
  return slice.loadUintBig(255);
}

Deno.test("roots lie at their number modulo 1,024, and the settings in the top cell", () => {
  const settings = { generation: 3, owner };
  for (const [count, kept] of [[3, 3], [1_024, 1_024], [1_030, 1_024], [5_000, 1_500], [5_000, 20]]) {
    const numbers = range(count - kept, count);
    const cell = encodeRoots({ ...settings, rootCount: count, roots: numbers.map((n) => BigInt(n) + 1n) });
    const expected = Array<bigint>(1_024).fill(0n);
    for (const n of numbers) expected[n % 1_024] = BigInt(n) + 1n;
    deepEqual(range(0, 1_024).map((place) => rootAt(cell, place)), expected, `${count} ${kept}`);
  }
  const top = encodeRoots({ ...settings, roots: [1n] }).beginParse();
  deepEqual([top.loadUint(8), top.loadAddress().equals(owner), top.remainingBits], [3, true, 0]);
});
