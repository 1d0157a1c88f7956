import assert from "node:assert/strict";
import {
  CHUNK_PATH_LEVELS,
  chunkRoot,
  firstSlots,
  pathBits,
  rootOf,
} from "../../../testkit/circuits/circuit_inputs.ts";
import { FIELD_MODULUS } from "../crypto/field.ts";
import { MerkleTree } from "./merkle_tree.ts";
import { settlementEnd, settlementInputs, settlementInputsAfter } from "./settlement.ts";
import { nodeCounts, TREE_CAPACITY } from "./tree_levels.ts";
import { zeros } from "./zeros.ts";

const commitments = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => BigInt(from + i + 1));

function treeOf(leaves: readonly bigint[]): MerkleTree {
  const tree = new MerkleTree();
  tree.appendMany(leaves);
  return tree;
}

Deno.test("a settlement leads from the tree's root to its root after the batch, for every fill of a chunk", () => {
  let tried = 0;
  for (let first = 0; first < 16; first++) {
    for (let count = 1; first + count <= 16; count++, tried++) {
      const old = commitments(32 + first);
      const batch = commitments(count, 1000);
      const tree = treeOf(old);
      const input = settlementInputs(tree, batch, 7n);
      assert.equal(input.oldRoot, treeOf(old).root);
      assert.equal(input.newRoot, treeOf([...old, ...batch]).root);
      assert.equal(input.span, BigInt((32 + first) * 512 + count));
      assert.equal(tree.size, 32 + first);
      const empty = 16 - first - count;
      assert.deepEqual(input.fresh, [...Array(first).fill(0n), ...batch, ...Array(empty).fill(0n)]);
      assert.deepEqual(input.leaves, [...old.slice(32), ...batch, ...Array(empty).fill(0n)]);
      assert.equal(input.settler, 7n);
    }
  }
  assert.equal(tried, 136);
});

Deno.test("a settlement takes no commitment beyond the chunk", () => {
  const [old, queue] = [commitments(21), commitments(300, 1000)];
  const { span, fresh, newRoot } = settlementInputs(treeOf(old), queue, 7n);
  assert.equal(span, 21n * 512n + 11n);
  assert.deepEqual(fresh.slice(5), queue.slice(0, 11));
  assert.equal(newRoot, treeOf([...old, ...queue.slice(0, 11)]).root);
});

Deno.test("the last chunk of the tree can be settled, and a full tree cannot", () => {
  // The nodes need not be hashes: only the chunk's own path is computed from them.
  const levelsOf = (size: number) => nodeCounts(size).map((count) => new Uint8Array(32 * count));
  const size = TREE_CAPACITY - 3;
  const queue = commitments(5);
  const input = settlementInputs(MerkleTree.fromLevels(size, levelsOf(size)), queue, 7n);
  assert.equal(input.span, BigInt(size * 512 + 3));
  const bits = pathBits(BigInt(TREE_CAPACITY / 16 - 1), CHUNK_PATH_LEVELS);
  const leaves = [...Array(13).fill(0n), ...queue.slice(0, 3)];
  assert.equal(input.newRoot, rootOf(chunkRoot(leaves, firstSlots(16)), input.pathElements, bits));
  const full = MerkleTree.fromLevels(TREE_CAPACITY, levelsOf(TREE_CAPACITY));
  assert.throws(() => settlementInputs(full, queue, 7n), { code: "tree_full" });
});

Deno.test("an empty queue, a commitment and a settler outside the field are refused", () => {
  const tree = treeOf(commitments(3));
  assert.throws(() => settlementInputs(tree, [], 7n), RangeError);
  for (const outside of [-1n, FIELD_MODULUS]) {
    assert.throws(() => settlementInputs(tree, [1n, outside], 7n), { code: "not_in_field" });
    assert.throws(() => settlementInputs(tree, [1n], outside), { code: "not_in_field" });
  }
});

Deno.test("commitments that equal the empty leaf or 0 are settled like any other", () => {
  const [old, batch] = [commitments(2), [zeros[0], 0n]];
  const { oldRoot, newRoot, fresh, span } = settlementInputs(treeOf(old), batch, 7n);
  assert.equal(newRoot, treeOf([...old, ...batch]).root);
  assert.deepEqual(fresh.slice(0, 4), [0n, 0n, zeros[0], 0n]);
  assert.equal(span, 2n * 512n + 2n);
  assert.equal(settlementInputs(treeOf(old), [zeros[0]], 7n).newRoot, oldRoot); // the root does not change
});

Deno.test("settlements can be prepared one after the other, from any chunk, before the pool has accepted the first", () => {
  const waiting = commitments(40 * 16, 1000);
  for (const settled of [0, 5, 16, 37, 112, 16 * 31]) {
    const tree = treeOf(commitments(settled));
    let input = settlementInputs(tree, waiting, 7n);
    for (let taken = 0; taken < 35 * 16;) {
      const batch = settlementEnd(input) - tree.size;
      tree.appendMany(waiting.slice(taken, taken + batch));
      taken += batch;
      assert.equal(tree.size, settlementEnd(input));
      input = settlementInputsAfter(input, waiting.slice(taken));
      assert.deepEqual(input, settlementInputs(tree, waiting.slice(taken), 7n));
    }
  }
});

Deno.test("no settlement is prepared after one that leaves slots empty, without deposits, or in a full tree", () => {
  const partial = settlementInputs(treeOf([]), commitments(15), 7n);
  assert.throws(() => settlementInputsAfter(partial, [1n]), RangeError);
  const full = settlementInputs(treeOf([]), commitments(16), 7n);
  assert.throws(() => settlementInputsAfter(full, []), RangeError);
  const last = { ...full, span: BigInt(TREE_CAPACITY - 16) * 512n + 16n };
  assert.throws(() => settlementInputsAfter(last, [1n]), { code: "tree_full" });
});
