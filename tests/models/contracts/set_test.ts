/** The packed set in TVM equals a plain JavaScript Set, and has the layout of SPEC.md. */
import assert from "node:assert/strict";
import { Cell, contractAddress, TupleReader } from "@ton/core";
import type { TupleItem } from "@ton/core";
import { Blockchain, createShardAccount, GetMethodError } from "@ton/sandbox";
import fc from "fast-check";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { compileCached } from "../../../testkit/chain/compiled_contracts.ts";
import { depth, seed } from "../../../testkit/random/property_runs.ts";
import { countCells, fillPath, largestSet, SetModel } from "../../../testkit/chain/pool_storage.ts";

const chain = await Blockchain.create();

async function run(method: string, args: TupleItem[], gasLimit: bigint) {
  const code = await compileCached("testkit/chain/set_probe.tolk");
  const address = contractAddress(0, { code, data: Cell.EMPTY });
  await chain.setShardAccount(address, createShardAccount({ address, code, data: Cell.EMPTY, balance: 1n }));
  return await chain.runGetMethod(address, method, args, { gasLimit });
}

async function call(method: string, ...args: TupleItem[]): Promise<TupleReader> {
  return new TupleReader((await run(method, args, 50_000_000n)).stack);
}
const int = (value: bigint): TupleItem => ({ type: "int", value });
const cell = (value: Cell): TupleItem => ({ type: "cell", cell: value });

/** The number of keys per call: a tuple has at most 255 entries. */
const BATCH = 250;

/** Draws keys that collide: few slots, long common prefixes, and repetitions, beside honest keys. */
const randomKey = fc.bigInt({ min: 0n, max: FIELD_MODULUS - 1n });
const keys = fc.oneof(
  { weight: 4, arbitrary: randomKey },
  { weight: 3, arbitrary: randomKey.map((key) => (key >> 12n << 12n) | 0x5a5n) },
  { weight: 3, arbitrary: fc.bigInt({ min: 0n, max: 400n }).map((n) => (n << 40n) | 0x3n) },
);

Deno.test("the set on chain answers as a JavaScript Set and lies as the model says, over 4,000 operations", async () => {
  const sequence = fc.sample(keys, { numRuns: 4_000 * Math.min(depth, 25), seed });
  const plain = new Set<bigint>();
  const model = new SetModel();
  let root = model.cell();
  let duplicates = 0;
  for (let from = 0; from < sequence.length; from += BATCH) {
    const batch = sequence.slice(from, from + BATCH);
    const stack = await call("addAll", cell(root), { type: "tuple", items: batch.map(int) });
    root = stack.readCell();
    const found = stack.readTuple();
    for (const key of batch) {
      const known = found.readBoolean();
      assert.equal(known, plain.has(key), `key ${key}, seed ${seed}`);
      assert.equal(model.add(key), !known);
      plain.add(key);
      if (known) duplicates++;
    }
    assert.ok(root.equals(model.cell()), `layout after ${from + batch.length} operations, seed ${seed}`);
  }
  assert.ok(duplicates > 100 && plain.size > 2_000, "the sequence tries both new and known keys");
});

Deno.test("a key that is present is refused with the code asked for, wherever it lies", async () => {
  const model = new SetModel();
  const key = 0x1234567890abcdef1234567890abcdefn;
  fillPath(model, key, 12);
  model.add(key);
  const refused = call("add", cell(model.cell()), int(key));
  await assert.rejects(refused, (error: GetMethodError) => error.exitCode === 40);
});

Deno.test("a full node refuses each of its ten tags, whatever bits the tag beside it has", async () => {
  const wide = (i: number) => (BigInt(`0x${"9e3779b97f4a7c15".repeat(4)}`) * BigInt(2 * i + 1)) >> 3n;
  const tags = Array.from({ length: 10 }, (_, i) => {
    const top = BigInt(i % 4) << 112n; // the two highest of a tag's 102 bits, unlike those of its neighbours
    return (wide(i) & ((1n << 100n) - 1n)) << 12n | top;
  });
  for (const order of [tags, tags.toReversed()]) {
    const model = new SetModel();
    for (const key of order) assert.ok(model.add(key));
    const full = cell(model.cell());
    for (const key of order) {
      const refused = call("add", full, int(key));
      await assert.rejects(refused, (error: GetMethodError) => error.exitCode === 40, `${key}`);
      await call("add", full, int(key ^ (1n << 113n))); // only the highest bit differs from the other key
    }
  }
});

Deno.test("an attacker's deepest path has 99 full nodes, and the key behind it still goes in", async () => {
  const key = 0xfedcba0987654321fedcba0987654321n;
  const model = new SetModel();
  fillPath(model, key);
  const { exitCode, gasUsed } = await run("has", [cell(model.cell()), int(key)], 10_000_000n);
  assert.equal(exitCode, 0);
  assert.ok(gasUsed < 300_000n, "a getter has 300,000 gas on lite servers");
  const root = (await call("add", cell(model.cell()), int(key))).readCell();
  assert.ok(model.add(key));
  assert.ok(root.equals(model.cell()));
  assert.ok((await call("has", cell(root), int(key))).readBoolean());
});

Deno.test("only 114 bits of a key tell: keys that agree there are one, which SPEC.md states with its odds", async () => {
  const key = 0x77n << 100n;
  const model = new SetModel();
  model.add(key);
  assert.ok((await call("has", cell(model.cell()), int(key + (1n << 114n)))).readBoolean());
  assert.ok(!(await call("has", cell(model.cell()), int(key + (1n << 113n)))).readBoolean());
});

Deno.test("the largest sets of 131,072 keys keep the bound of cells that the account limit needs", () => {
  const bound = 1365 + 4096 + 2 * Math.floor((131_072 - 4_096) / 11);
  const commitments = largestSet(131_072);
  const nullifiers = largestSet(131_072, 1n << 40n);
  assert.ok(commitments.size > 131_072 - 11, "what is left makes no further node");
  const one = countCells(commitments.cell()).cells;
  const both = countCells(commitments.cell(), nullifiers.cell()).cells;
  assert.ok(one <= bound + 1, `${one} cells of one kind, with the empty one`);
  assert.ok(one > bound - 50, "and the bound is not loose");
  assert.ok(both <= 2 * bound + 1, `${both} cells of both kinds, with the empty one`);
  assert.ok(both + 90 < 65_536, "with code, roots and history the account stays below its limit");
});
