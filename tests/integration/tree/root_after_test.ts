/** The predicted root equals the later root, and the leaves that were hashed for it are not hashed again. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { propertyParameters } from "../../../testkit/random/property_runs.ts";
import { Problem, type ProblemCode } from "../../../src/core/errors/problem.ts";
import { FIELD_BYTES, FIELD_MODULUS, writeFieldBytes } from "../../../src/core/crypto/field.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { TREE_CAPACITY } from "../../../src/core/tree/tree_levels.ts";
import { nodesOf, rootAt } from "../../../src/core/tree/root_at.ts";
import { SUBTREE_HEIGHT, type TreeHasher } from "../../../src/core/tree/tree_hasher.ts";
import { yieldToEventLoop } from "../../../src/core/event_loop_yield.ts";
import { hashLeavesAfter } from "../../../src/tree/root_after.ts";
import { inlineTreeService } from "../../../src/tree/tree_service.ts";
import { TreeWorkers } from "../../../src/tree/tree_workers.ts";

const refuses = (code: ProblemCode) => (error: unknown) => error instanceof Problem && error.code === code;
const leavesOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => BigInt(from + i + 1) ** 9n);

async function rootAfter(...args: Parameters<typeof hashLeavesAfter>): Promise<bigint> {
  return (await hashLeavesAfter(...args)).root;
}

function bytesOf(leaves: readonly bigint[]): Uint8Array {
  const bytes = new Uint8Array(leaves.length * FIELD_BYTES);
  for (const [i, leaf] of leaves.entries()) writeFieldBytes(leaf, bytes, i * FIELD_BYTES);
  return bytes;
}

function treeOf(size: number): MerkleTree {
  const tree = new MerkleTree();
  tree.appendMany(leavesOf(0, size));
  return tree;
}

/** Draws counts of leaves near the ends of subtrees. */
const count = fc.oneof(
  fc.nat(40),
  fc.constantFrom(0, 1, 2, 3, 511, 512, 513, 1_023, 1_024, 1_025, 2_047, 2_049),
  fc.nat(2_500),
);
const examples: [number, number][] = [
  [0, 1],
  [0, 512],
  [1, 1_022],
  [1, 1_023],
  [511, 513],
  [512, 512],
  [1_025, 4_097],
  [700, 9_000],
];
for (const where of ["workers", "this thread"]) {
  Deno.test(`with ${where} the root after new leaves equals the later root, and the tree is unchanged`, async () => {
    const workers = new TreeWorkers({ maxWorkers: 2 });
    try {
      const work = where === "workers" ? workers : inlineTreeService;
      await fc.assert(
        fc.asyncProperty(count, count, async (size, more) => {
          const [tree, plain] = [treeOf(size), treeOf(size + more)];
          const { root } = tree;
          assert.equal(await rootAfter(tree, leavesOf(size, size + more), work), plain.root);
          assert.deepEqual([tree.size, tree.root], [size, root]);
          tree.appendMany(leavesOf(size, size + more));
          assert.deepEqual(
            tree.levels.map((nodes) => nodes.slice()),
            plain.levels.map((nodes) => nodes.slice()),
          );
        }),
        { ...propertyParameters(12), examples },
      );
    } finally {
      workers.close();
    }
  });
}

const part = fc.nat(1_300);
const parts = fc.oneof(
  fc.array(part, { maxLength: 6 }),
  fc.constantFrom([1], [0, 1, 511], [512, 512], [513, 511, 1]),
);
Deno.test("a tree that takes the hashed leaves in parts equals one that hashes them", async () => {
  await fc.assert(
    fc.asyncProperty(count, parts, fc.nat(600), async (size, parts, rest) => {
      const end = size + parts.reduce((sum, part) => sum + part, 0);
      const [tree, plain] = [treeOf(size), treeOf(size)];
      const hashed = await hashLeavesAfter(tree, leavesOf(size, end + rest), inlineTreeService);
      for (const part of parts) {
        const [from, to] = [plain.size, plain.size + part];
        assert.ok(hashed.contains(from, bytesOf(leavesOf(from, to))));
        await tree.appendHashed(hashed, to, inlineTreeService);
        plain.appendMany(leavesOf(from, to));
        assert.deepEqual([tree.size, tree.root], [plain.size, plain.root]);
        if (to === 0) continue;
        assert.deepEqual(tree.path(to - 1), plain.path(to - 1));
        assert.equal(tree.indexOf(plain.leaf(to - 1)), to - 1);
      }
      tree.append(5n); // the copied nodes must also serve later appends
      plain.append(5n);
      assert.deepEqual(tree.levels.map((nodes) => nodes.slice()), plain.levels.map((nodes) => nodes.slice()));
    }),
    {
      ...propertyParameters(40),
      examples: [[0, [1], 0], [1, [1], 1], [700, [9_000], 0], [511, [1, 1, 512], 3]],
    },
  );
});

Deno.test("every root on the way to the new leaves can be computed from the hashed nodes", async () => {
  for (const [size, end] of [[0, 40], [7, 60], [511, 1_030], [600, 3_000], [1_024, 2_049]]) {
    const tree = treeOf(size);
    const hashed = await hashLeavesAfter(tree, leavesOf(size, end), inlineTreeService);
    const known = nodesOf(tree.levels);
    const sizes = [size, size + 1, size + 2, size + 33, 512, 1_023, 1_024, 1_025, 2_048, end - 1, end];
    for (const each of sizes.filter((each) => each >= size && each <= end)) {
      const root = rootAt(each, (level, i) => hashed.nodeAt(level, i) ?? known(level, i));
      assert.equal(root, treeOf(each).root, `${each} of ${size} to ${end}`);
    }
  }
});

Deno.test("hashed leaves are recognised by number and value, and belong to their tree only", async () => {
  const hashed = await hashLeavesAfter(treeOf(600), leavesOf(600, 2_000), inlineTreeService);
  assert.ok(hashed.contains(600, bytesOf(leavesOf(600, 2_000))));
  assert.ok(hashed.contains(1_024, bytesOf(leavesOf(1_024, 1_030))));
  for (const first of [599, 601, 1_023]) assert.ok(!hashed.contains(first, bytesOf(leavesOf(600, 700))));
  assert.ok(!hashed.contains(1_990, bytesOf(leavesOf(1_990, 2_001))));
  for (const at of [0, 423, 424, 1_399]) {
    const leaves = bytesOf(leavesOf(600, 2_000));
    leaves[at * FIELD_BYTES + 31] ^= 1;
    assert.ok(!hashed.contains(600, leaves), `leaf ${600 + at}`);
  }
  await assert.rejects(treeOf(599).appendHashed(hashed, 700, inlineTreeService), RangeError);
  await assert.rejects(treeOf(650).appendHashed(hashed, 649, inlineTreeService), RangeError);
  await assert.rejects(treeOf(650).appendHashed(hashed, 2_001, inlineTreeService), RangeError);
});

Deno.test("only new leaves are sent to workers, and few leaves are not", async () => {
  const handed: number[] = [];
  const work: Pick<TreeHasher, "hashLevels"> = {
    hashLevels(levels, start, end) {
      handed.push(levels.reduce((sum, nodes) => sum + nodes.length, 0) / FIELD_BYTES);
      assert.equal(start, 0);
      return inlineTreeService.hashLevels(levels, start, end);
    },
  };
  const tree = treeOf(20_001);
  assert.equal(await rootAfter(tree, leavesOf(20_001, 20_101), work), treeOf(20_101).root);
  const small = treeOf(33);
  assert.equal(await rootAfter(small, leavesOf(33, 1_023), work), treeOf(1_023).root);
  assert.deepEqual(handed, [], "479 leaves fill the last subtree, and 511 are not a whole one");
  assert.equal(await rootAfter(small, leavesOf(33, 1_024), work), treeOf(1_024).root);
  assert.equal(handed.length, 1);
  assert.equal(await rootAfter(tree, leavesOf(20_001, 23_000), work), treeOf(23_000).root);
  assert.equal(handed.length, 2);
  assert.ok(handed[1] < 3 * 4_096, `${handed[1]} nodes for 2,999 leaves`);
});

/** Returns how often the event loop ran other work until `work` was done. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let done = false;
  work.finally(() => done = true);
  for (let turns = 0;; turns++) {
    await yieldToEventLoop();
    if (done) return turns;
  }
}

Deno.test("the event loop runs while many leaves are read and hashed", async () => {
  const [tree, away] = [treeOf(1), { hashLevels: () => Promise.resolve(SUBTREE_HEIGHT) }];
  assert.equal(await turnsOf(rootAfter(tree, leavesOf(1, 101), inlineTreeService)), 0);
  assert.ok(await turnsOf(rootAfter(tree, leavesOf(1, 1_023), inlineTreeService)) >= 10);
  assert.ok(await turnsOf(rootAfter(tree, Array(2 ** 16).fill(1n), away)) >= 32);
});

Deno.test("a value outside the field, or one leaf too many, is refused", async () => {
  const tree = treeOf(3);
  for (const leaf of [-1n, FIELD_MODULUS]) {
    await assert.rejects(rootAfter(tree, [1n, leaf], inlineTreeService), refuses("not_in_field"));
  }
  const full = { size: TREE_CAPACITY - 1, root: 0n, levels: [] };
  await assert.rejects(rootAfter(full, [1n, 2n], inlineTreeService), refuses("tree_full"));
});

Deno.test("the last leaf of a full tree is accepted", async () => {
  const full = {
    size: TREE_CAPACITY - 1,
    root: 0n,
    levels: Array(20).fill(new Uint8Array(FIELD_BYTES * TREE_CAPACITY)),
  };
  assert.equal(typeof await rootAfter(full, [1n], inlineTreeService), "bigint");
});
