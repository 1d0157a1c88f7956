import assert from "node:assert/strict";
import fc from "fast-check";
import { poseidon2 } from "poseidon-bls12381";
import vectors from "../../../testkit/vectors/protocol.json" with { type: "json" };
import { propertyParameters } from "../../../testkit/random/property_runs.ts";
import { Problem, type ProblemCode } from "../errors/problem.ts";
import { FIELD_BYTES, FIELD_MODULUS } from "../crypto/field.ts";
import { MERKLE_TREE_HEIGHT, type MerklePath, MerkleTree } from "./merkle_tree.ts";
import { poseidon } from "../crypto/poseidon.ts";
import type { TreeHasher } from "./tree_hasher.ts";
import { TREE_CAPACITY } from "./tree_levels.ts";
import { zeros } from "./zeros.ts";

const refuses = (code: ProblemCode) => (error: unknown) => error instanceof Problem && error.code === code;
const element = fc.bigInt({ min: 0n, max: FIELD_MODULUS - 1n });

function climb(leaf: bigint, { pathElements, pathIndices }: MerklePath): bigint {
  return pathElements.reduce(
    (node, sibling, level) => poseidon(pathIndices[level] ? [sibling, node] : [node, sibling]),
    leaf,
  );
}

function naiveLevels(leaves: readonly bigint[]): bigint[][] {
  const levels = [[...leaves]];
  for (let k = 0; k < MERKLE_TREE_HEIGHT; k++) {
    const below = levels[k];
    levels.push(Array.from(
      { length: Math.max(1, Math.ceil(below.length / 2)) },
      (_, i) => poseidon2([below[2 * i] ?? zeros[k], below[2 * i + 1] ?? zeros[k]]),
    ));
  }
  return levels;
}

Deno.test("zeros are the published ones and begin at keccak256 of the seed", () => {
  assert.deepEqual(zeros, vectors.zeros.map(BigInt));
});

Deno.test("zeros cannot be changed", () => {
  assert.throws(() => (zeros as bigint[])[0] = 1n, TypeError);
});

Deno.test("roots are the published ones, however the leaves come in", () => {
  for (const { leaves: count, root } of vectors.tree) {
    const leaves = Array.from({ length: count }, (_, i) => poseidon([BigInt(i + 1), BigInt(i + 1)]));
    const [atOnce, oneByOne] = [new MerkleTree(), new MerkleTree()];
    atOnce.appendMany(leaves);
    for (const leaf of leaves) oneByOne.append(leaf);
    assert.equal(atOnce.root, BigInt(root));
    assert.equal(oneByOne.root, BigInt(root));
  }
});

Deno.test("an empty tree has the empty root and no leaves", () => {
  const tree = new MerkleTree();
  assert.equal(tree.size, 0);
  assert.equal(tree.root, zeros[20]);
  assert.equal(tree.indexOf(zeros[0]), -1);
  tree.appendMany([]);
  assert.equal(tree.root, zeros[20]);
});

Deno.test("appending in any portions gives the naive tree: root, leaves and every path", () => {
  fc.assert(
    fc.property(fc.array(fc.array(element, { maxLength: 7 }), { maxLength: 6 }), (portions) => {
      const tree = new MerkleTree();
      for (const portion of portions) tree.appendMany(portion);
      const leaves = portions.flat();
      const levels = naiveLevels(leaves);
      assert.equal(tree.size, leaves.length);
      assert.equal(tree.root, levels[MERKLE_TREE_HEIGHT][0]);
      for (const [i, leaf] of leaves.entries()) {
        assert.equal(tree.leaf(i), leaf);
        assert.deepEqual(tree.path(i), {
          pathElements: Array.from({ length: 20 }, (_, k) => levels[k][(i >> k) ^ 1] ?? zeros[k]),
          pathIndices: Array.from({ length: 20 }, (_, k) => (i >> k) & 1),
        });
      }
    }),
    propertyParameters(40),
  );
});

Deno.test("paths hold in a tree that spans several batches", () => {
  const tree = new MerkleTree();
  tree.appendMany(Array.from({ length: 3 }, (_, i) => BigInt(i)));
  tree.appendMany(Array.from({ length: 20_001 }, (_, i) => BigInt(i + 3)));
  for (const i of [0, 2, 3, 4095, 8191, 8192, 8193, 16_383, 16_384, 20_003]) {
    assert.equal(climb(BigInt(i), tree.path(i)), tree.root);
    assert.equal(tree.indexOf(BigInt(i)), i);
  }
});

Deno.test("a path fits no other leaf and no other index: both give another root", () => {
  const tree = new MerkleTree();
  tree.appendMany([5n, 6n, 7n]);
  assert.notEqual(climb(6n, tree.path(0)), tree.root);
  assert.notEqual(climb(5n, tree.path(1)), tree.root);
});

Deno.test("the next free leaf's path holds for the empty leaf before and the new one after", () => {
  const tree = new MerkleTree();
  for (let i = 0n; i < 9n; i++) {
    const path = tree.nextLeafPath();
    assert.equal(climb(zeros[0], path), tree.root);
    const expected = tree.rootAfter(i);
    assert.equal(climb(i, path), expected);
    tree.append(i);
    assert.equal(tree.root, expected);
    assert.deepEqual(tree.path(Number(i)), path);
  }
});

Deno.test("rootAfter changes nothing", () => {
  const tree = new MerkleTree();
  tree.append(1n);
  const before = tree.root;
  tree.rootAfter(2n);
  assert.equal(tree.root, before);
  assert.equal(tree.size, 1);
});

Deno.test("a leaf outside [0, r) is refused with its whole batch", () => {
  const tree = new MerkleTree();
  tree.append(1n);
  const { root } = tree;
  for (const leaf of [-1n, FIELD_MODULUS, 2n ** 256n]) {
    assert.throws(() => tree.append(leaf), refuses("not_in_field"));
    assert.throws(() => tree.appendMany([2n, 3n, leaf, 4n]), refuses("not_in_field"));
    assert.throws(() => tree.rootAfter(leaf), refuses("not_in_field"));
    assert.equal(tree.indexOf(leaf), -1);
  }
  assert.equal(tree.size, 1);
  assert.equal(tree.root, root);
  assert.equal(tree.indexOf(2n), -1);
  tree.append(9n);
  assert.deepEqual([tree.leaf(1), tree.indexOf(9n)], [9n, 1]);
});

Deno.test("appendUsing fills a tree to its last leaf, and refuses one more", async () => {
  // Nothing is hashed: only where it ends is tested.
  const work: TreeHasher = {
    hashLevels: () => Promise.resolve(MERKLE_TREE_HEIGHT),
    buildIndex: () => Promise.resolve(new Uint32Array(2 * TREE_CAPACITY)),
  };
  const leavesOf = (count: number) => new Uint8Array(count * FIELD_BYTES);
  const tree = new MerkleTree();
  await assert.rejects(tree.appendUsing(leavesOf(TREE_CAPACITY + 1), work), refuses("tree_full"));
  await tree.appendUsing(leavesOf(TREE_CAPACITY - 1), work);
  await tree.appendUsing(leavesOf(1), work);
  assert.equal(tree.size, TREE_CAPACITY);
  await assert.rejects(tree.appendUsing(leavesOf(1), work), refuses("tree_full"));
});

Deno.test("a source of leaves that fails leaves the tree as it was", () => {
  const tree = new MerkleTree();
  assert.throws(
    () =>
      tree.appendMany(function* () {
        yield 1n;
        throw new Error("lost");
      }()),
    /lost/,
  );
  assert.deepEqual([tree.size, tree.root], [0, zeros[20]]);
});

Deno.test("path and leaf know only leaves in [0, size)", () => {
  const tree = new MerkleTree();
  for (const i of [0, -1]) assert.throws(() => tree.path(i), RangeError);
  tree.appendMany([1n, 2n]);
  for (const i of [-1, 2, 0.5, NaN, Infinity, 2 ** 32]) {
    assert.throws(() => tree.path(i), RangeError);
    assert.throws(() => tree.leaf(i), RangeError);
  }
});

Deno.test("indexOf finds the first of equal leaves, before and after the tree has grown", () => {
  const tree = new MerkleTree();
  tree.appendMany([7n, 8n, 7n]);
  assert.deepEqual([tree.indexOf(7n), tree.indexOf(8n), tree.indexOf(9n)], [0, 1, -1]);
  tree.appendMany(Array.from({ length: 3000 }, (_, i) => BigInt(i)));
  assert.deepEqual([tree.indexOf(7n), tree.indexOf(8n), tree.indexOf(9n), tree.indexOf(2999n)], [
    0,
    1,
    12,
    3002,
  ]);
  assert.equal(tree.indexOf(0n), 3);
  assert.equal(tree.indexOf(3000n), -1);
});
