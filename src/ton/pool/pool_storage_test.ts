/** The cells of a version 1 pool, read as contracts/v1/SPEC.md describes them. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Address, beginCell, Cell, Dictionary, type Slice } from "@ton/core";
import { encodePoolData, PackedSet, RootLog } from "./pool_storage.ts";

const keyOf = (i: number) => (BigInt(i) * 0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251n) % 2n ** 250n;

/** Follows six forks of two bits each, the low bits first, to the node of a key's slot. */
function slotNode(root: Slice, key: bigint): Cell {
  let slice = root;
  let cell = Cell.EMPTY;
  for (let level = 0; level < 6; level++) {
    const branch = Number((key >> BigInt(2 * level)) & 3n);
    for (let i = 0; i <= branch; i++) cell = slice.loadRef();
    slice = cell.beginParse();
  }
  return cell;
}

/** Returns whether the cells of a set contain a key: in the nodes of its slot, by the bits of its tag. */
function contains(set: Cell, key: bigint): boolean {
  const tag = (key >> 12n) & (2n ** 102n - 1n);
  let node = slotNode(set.beginParse(), key);
  for (let path = tag;; path >>= 1n) {
    const slice = node.beginParse();
    ok(slice.remainingBits <= 10 * 102 && slice.remainingBits % 102 === 0);
    const isFull = slice.remainingBits === 10 * 102;
    equal(slice.remainingRefs, isFull ? 2 : 0);
    while (slice.remainingBits > 0) if (slice.loadUintBig(102) === tag) return true;
    if (!isFull) return false;
    const [left, right] = [slice.loadRef(), slice.loadRef()];
    node = path & 1n ? right : left;
  }
}

function distinctCells(roots: readonly Cell[]): { cells: number; bits: number } {
  const seen = new Map<string, number>();
  const visit = (cell: Cell) => {
    const hash = cell.hash().toString("hex");
    if (seen.has(hash)) return;
    seen.set(hash, cell.bits.length);
    cell.refs.forEach(visit);
  };
  roots.forEach(visit);
  return { cells: seen.size, bits: [...seen.values()].reduce((sum, bits) => sum + bits, 0) };
}

Deno.test("a set has the keys that were added, in memory and in its cells", () => {
  const set = new PackedSet();
  const keys = Array.from({ length: 600 }, (_, i) => keyOf(i + 1));
  // Keys of one slot, which fill nodes: equal in the low 12 bits.
  const crowd = Array.from({ length: 60 }, (_, i) => (keyOf(i + 7_001) << 12n) % 2n ** 250n | 0xabcn);
  for (const key of [...keys, ...crowd]) ok(set.add(key));
  equal(set.size, 660);
  for (const key of [keys[0], crowd[0], crowd[59]]) equal(set.add(key), false);
  equal(set.size, 660);
  const cell = set.cell();
  for (const key of [...keys, ...crowd]) ok(set.has(key) && contains(cell, key));
  for (let i = 0; i < 200; i++) {
    const absent = keyOf(i + 90_001);
    ok(!set.has(absent) && !contains(cell, absent));
  }
});

Deno.test("a key is identified by its slot and tag: higher bits do not make another key", () => {
  const set = new PackedSet();
  const key = 2n ** 114n - 1n;
  ok(set.add(key));
  ok(!set.add(key + 2n ** 114n));
  ok(set.add(key - 1n), "another slot");
  ok(set.add(key - 2n ** 113n), "another tag");
});

Deno.test("cells are built again only where a key was added, and equal those of a set built at once", () => {
  const [grown, fresh] = [new PackedSet(), new PackedSet()];
  for (let i = 1; i <= 50; i++) {
    grown.add(keyOf(i));
    grown.cell();
  }
  for (let i = 50; i >= 1; i--) fresh.add(keyOf(i)); // no node is full, so the order matters only within nodes
  equal(new PackedSet().cell().equals(grown.cell()), false);
  for (let i = 1; i <= 50; i++) ok(contains(grown.cell(), keyOf(i)) && contains(fresh.cell(), keyOf(i)));
});

Deno.test("the measure of sets is the number of their distinct cells, and of their bits", () => {
  for (const count of [0, 1, 40, 700]) {
    const [one, other] = [new PackedSet(), new PackedSet()];
    for (let i = 0; i < count; i++) {
      one.add(keyOf(2 * i + 1));
      other.add((keyOf(i + 50_001) << 12n) % 2n ** 250n | BigInt(i % 7)); // seven crowded slots
    }
    deepEqual(PackedSet.measure(one, other), distinctCells([one.cell(), other.cell()]), String(count));
  }
});

Deno.test("the history has two generations of 32 roots, four in a cell, the newest first", () => {
  const rootsIn = (cell: Cell): bigint[] => {
    const slice = cell.beginParse();
    const roots: bigint[] = [];
    while (slice.remainingBits > 0) roots.push(slice.loadUintBig(255));
    ok(roots.length <= 4);
    return [...roots, ...slice.remainingRefs > 0 ? rootsIn(slice.loadRef()) : []];
  };
  const log = new RootLog();
  const newestFirst = (from: number, to: number) =>
    Array.from({ length: from - to }, (_, i) => BigInt(from - i));
  for (let count = 1; count <= 70; count++) {
    log.push(BigInt(count));
    const inNew = (count - 1) % 32 + 1;
    deepEqual(rootsIn(log.newGeneration), newestFirst(count, count - inNew));
    const older = count - inNew;
    deepEqual(rootsIn(log.oldGeneration), newestFirst(older, Math.max(0, older - 32)));
  }
  equal(log.count, 70);
});

const owner = new Address(0, Buffer.alloc(32, 7));
const master = new Address(0, Buffer.alloc(32, 8));

function stateOf() {
  const [nullifiers, commitments, history] = [new PackedSet(), new PackedSet(), new RootLog()];
  nullifiers.add(5n);
  commitments.add(6n);
  for (let i = 1n; i <= 33n; i++) history.push(i);
  return {
    denomination: 10n ** 9n,
    deposits: 2 ** 32 - 1,
    withdrawals: 2 ** 32 - 2,
    debt: 77n,
    touched: 2 ** 32 - 3,
    nullifiers,
    root: 2n ** 255n - 1n,
    commitments,
    history,
    paused: true,
    owner,
  };
}

Deno.test("the data of a native pool has its members in the order of the specification", () => {
  const state = stateOf();
  const slice = encodePoolData(state).beginParse();
  deepEqual([
    slice.loadCoins(),
    slice.loadUint(32),
    slice.loadUint(32),
    slice.loadCoins(),
    slice.loadUint(32),
  ], [
    ...[10n ** 9n, 2 ** 32 - 1, 2 ** 32 - 2, 77n, 2 ** 32 - 3],
  ]);
  ok(slice.loadRef().equals(state.nullifiers.cell()));
  equal(slice.loadUintBig(255), 2n ** 255n - 1n);
  ok(slice.loadRef().equals(state.commitments.cell()));
  ok(slice.loadRef().equals(state.history.newGeneration));
  ok(slice.loadRef().equals(state.history.oldGeneration));
  equal(slice.loadBit(), true);
  ok(slice.loadAddress().equals(owner));
  slice.endParse();
});

Deno.test("the data of a jetton pool adds its jetton before the nullifiers, and its claims to the old roots", () => {
  const state = stateOf();
  const claims = new Map([[9n, { amount: 4n, destination: owner }], [2n ** 64n - 1n, {
    amount: 5n,
    destination: master,
  }]]);
  const read = (wallet: Address | null, withClaims: boolean) => {
    const slice = encodePoolData({
      ...state,
      owner: null,
      paused: false,
      jetton: { master, wallet, ...withClaims && { claims } },
    }).beginParse();
    const nullifiers = slice.loadRef().beginParse();
    ok(nullifiers.loadAddress().equals(master));
    deepEqual(nullifiers.loadMaybeAddress()?.toRawString(), wallet?.toRawString());
    equal(nullifiers.loadUint(16), withClaims ? 2 : 0);
    ok(beginCell().storeSlice(nullifiers).endCell().equals(state.nullifiers.cell()));
    slice.loadRef();
    slice.loadRef();
    const archive = slice.loadRef().beginParse();
    ok(archive.loadRef().equals(state.history.oldGeneration));
    const found = archive.loadDict(Dictionary.Keys.BigUint(64), {
      serialize: () => {},
      parse: (entry) => [entry.loadCoins(), entry.loadAddress().toRawString()],
    });
    return [...found].map(([id, [amount, to]]) => [id, amount, to]);
  };
  deepEqual(read(null, false), []);
  deepEqual(read(owner, true), [[9n, 4n, owner.toRawString()], [2n ** 64n - 1n, 5n, master.toRawString()]]);
});
