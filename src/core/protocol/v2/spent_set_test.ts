import { deepEqual, equal, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { beginCell, type Cell } from "@ton/core";
import { slotPathAmong, SpentSet } from "./spent_set.ts";

/** A key of slot `slot` whose tag has these low bits, the lowest one first. */
const keyOf = (slot: number, sides: string, rest = 0n) =>
  BigInt(slot) |
  ((BigInt(`0b${[...sides].toReversed().join("") || "0"}`) | (rest << BigInt(sides.length))) << 12n);
const tag = (key: bigint) => (key >> 12n) & ((1n << 96n) - 1n);
const sha256 = (...parts: Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest();
const bytes = (value: bigint, length: number) =>
  Buffer.from(value.toString(16).padStart(2 * length, "0"), "hex");
const zero = Buffer.alloc(32);

/** The digest that the table has at a slot: five levels of four-way forks by the low bits, then four digests. */
function digestAt(table: Cell, slot: number): bigint {
  let cell = table;
  for (let level = 0; level < 5; level++) cell = cell.refs[(slot >> (2 * level)) & 3];
  return cell.beginParse().skip(255 * (slot >> 10)).loadUintBig(255);
}
const shifted = (digest: Buffer) => BigInt(`0x${digest.toString("hex")}`) >> 1n;

Deno.test("an empty set's table has the digest 0 in all of 4,096 slots, and one cell for each level", () => {
  const table = new SpentSet().table();
  let expected = beginCell().storeUint(0, 255).storeUint(0, 255).storeUint(0, 255).storeUint(0, 255)
    .endCell();
  for (let level = 0; level < 5; level++) {
    expected = [1, 2, 3, 4].reduce((builder) => builder.storeRef(expected), beginCell()).endCell();
  }
  ok(table.equals(expected));
  const set = new SpentSet();
  equal(set.slotPath(5n), null);
  equal(set.has(5n), false);
});

Deno.test("tags of a slot are hashed in order, and a fifth one opens two children, by the tag's bits", () => {
  const slot = 0b01_11_10_00_10_11;
  const keys = ["0", "1", "00", "01", "11"].map((sides, i) => keyOf(slot, sides, BigInt(i + 1)));
  const set = new SpentSet();
  const tags: Buffer[] = [];
  for (const [i, key] of keys.entries()) {
    equal(set.has(key), false);
    equal(set.add(key), true);
    equal(set.add(key), false);
    deepEqual([set.has(key), set.size], [true, i + 1]);
    tags.push(bytes(tag(key), 12));
    const digest = i < 4 ? sha256(...tags) : sha256(...tags, zero, zero);
    equal(digestAt(set.table(), slot), shifted(digest));
  }
  // The next two go to the children that their lowest bit selects, and one below them by the next bit.
  const [left, right] = [keyOf(slot, "0", 77n), keyOf(slot, "1", 78n)];
  equal(set.add(left), true);
  equal(digestAt(set.table(), slot), shifted(sha256(...tags, sha256(bytes(tag(left), 12)), zero)));
  equal(set.add(right), true);
  const both = [left, right].map((key) => sha256(bytes(tag(key), 12)));
  equal(digestAt(set.table(), slot), shifted(sha256(...tags, ...both)));
  for (const other of [slot - 1, slot + 1, slot ^ 1024, slot ^ 4]) equal(digestAt(set.table(), other), 0n);
  deepEqual([set.path(left).length, set.path(keyOf(slot, "0", 5n)).length, set.path(0n).length], [2, 2, 0]);
});

Deno.test("a withdrawal carries the nodes of its own path, each referring to the next", () => {
  const set = new SpentSet();
  const keys = Array.from({ length: 40 }, (_, i) => keyOf(9, i % 2 ? "1" : "0", BigInt(i * i + 1)));
  for (const key of keys) set.add(key);
  const carried = set.slotPath(keyOf(9, "0", 9_999n))!;
  equal(carried.bits.length, 5 * 96 + 2 * 256);
  equal(shifted(sha256(bits(carried))), digestAt(set.table(), 9));
  equal(carried.refs.length, 1);
  // The left child's digest is that of the next cell.
  const digests = carried.beginParse().skip(5 * 96);
  equal(digests.loadUintBig(256), BigInt(`0x${sha256(bits(carried.refs[0])).toString("hex")}`));
  const other = set.slotPath(keyOf(9, "1", 9_999n))!;
  ok(bits(other).equals(bits(carried)) && !other.refs[0].equals(carried.refs[0]));
});

const bits = (cell: Cell) => cell.beginParse().loadBuffer(cell.bits.length / 8);

Deno.test("a copy does not change with its original, and slotsOf has only the slots asked for", () => {
  const set = new SpentSet();
  for (let i = 0; i < 12; i++) set.add(keyOf(3, "", BigInt(i + 1)));
  set.add(keyOf(4, "", 1n));
  const [copy, part] = [set.clone(), set.slotsOf([keyOf(3, "", 1n), keyOf(3, "", 2n)])];
  const before = set.table();
  for (const each of [copy, part]) {
    const digest = digestAt(each.table(), 3);
    for (let i = 100; i < 120; i++) set.add(keyOf(3, "", BigInt(i)));
    equal(digestAt(each.table(), 3), digest);
    equal(digest, digestAt(before, 3));
  }
  deepEqual([copy.size, digestAt(copy.table(), 4), digestAt(part.table(), 4)], [
    13,
    digestAt(before, 4),
    0n,
  ]);
  equal(part.has(keyOf(4, "", 1n)), false);
  ok(copy.table().equals(before));
});

Deno.test("slots whose keys are kept elsewhere have the digest that is given for them", () => {
  const set = new SpentSet((slot) => BigInt(slot + 1));
  for (const slot of [0, 1, 1_023, 4_095]) equal(digestAt(set.table(), slot), BigInt(slot + 1));
  set.add(keyOf(1, "", 5n));
  equal(digestAt(set.table(), 1), shifted(sha256(bytes(5n, 12))));
  equal(digestAt(set.table(), 2), 3n);
  equal(digestAt(set.clone().table(), 2), 3n);
});

Deno.test("the path of a slot is that of the whole set, whatever other slots hold", () => {
  const keys = Array.from({ length: 60 }, (_, i) => keyOf(i % 3, ["0", "1", "01"][i % 2], BigInt(i)));
  const set = new SpentSet();
  for (const key of keys) set.add(key);
  for (const key of [keyOf(0, "1", 99n), keyOf(2, "0", 99n)]) {
    ok(slotPathAmong(keys, key)!.equals(set.slotPath(key)!));
  }
  equal(slotPathAmong(keys, keyOf(7, "0")), null);
});
