import { deepEqual, equal, notEqual, rejects } from "node:assert/strict";
import { MerkleTree } from "../../../core/tree/merkle_tree.ts";
import { FIELD_BYTES, fieldToHex } from "../../../core/crypto/field.ts";
import { toLeaves } from "../../../../testkit/relayer/leaf_batches.ts";
import type { LeafRange } from "../../../store/store.ts";
import { inlineTreeService, type TreeService } from "../../../tree/tree_service.ts";
import type { CommitmentsPage } from "./leaf_json.ts";
import { PoolTree, type StoredPool } from "./pool_tree.ts";

const COUNT = 2_500;
const leaf = (i: number) => 10n ** 40n + BigInt(i);
const never = new AbortController().signal;

async function* stored(from: number, to: number): AsyncGenerator<LeafRange> {
  const one = (i: number) => ({ leafIndex: i, commitment: leaf(i), timestamp: 1_700_000_000 + i });
  for (let i = from; i < to; i += 777) {
    yield toLeaves(Array.from({ length: Math.min(777, to - i) }, (_, k) => one(i + k)));
  }
}

const storeOf = (leaves: AsyncIterable<LeafRange>): StoredPool => ({
  leaves: () => leaves,
  poolLog: async function* () {},
});
function rootAfter(tree: PoolTree, commitments: readonly bigint[]): Promise<bigint> {
  const preview = tree.preview();
  for (const [i, commitment] of commitments.entries()) {
    preview.add({ kind: "deposit", leafIndex: tree.size + i, commitment });
  }
  return tree.rootAfter(preview);
}

async function filled(): Promise<PoolTree> {
  const tree = new PoolTree();
  await tree.load(storeOf(stored(0, COUNT)), "", never);
  return tree;
}

Deno.test("stored deposits give the tree that appending them one by one gives", async () => {
  const plain = new MerkleTree();
  plain.appendMany(Array.from({ length: COUNT }, (_, i) => leaf(i)));
  const tree = await filled();
  equal(tree.root, plain.root);
  deepEqual(tree.path(leaf(1_234)), { root: plain.root, ...plain.path(1_234) });
  equal(tree.path(5n), undefined);
  deepEqual(tree.find(leaf(2_499)), { leafIndex: 2_499, timestamp: 1_700_002_499 });
  equal(tree.find(5n), undefined);
});

Deno.test("loading continues where it ended, and a gap in the store is refused", async () => {
  const tree = await filled();
  await tree.load(storeOf(stored(tree.size, COUNT + 3)), "", never);
  equal(tree.size, COUNT + 3);
  await rejects(tree.load(storeOf(stored(COUNT + 4, COUNT + 5)), "", never), RangeError);
});

function membersOf({ items }: CommitmentsPage): unknown[] {
  const text = new TextDecoder();
  return JSON.parse(`[${items.map((bytes) => text.decode(bytes)).join("")}]`);
}

const pages: [from: number, limit: number][] = [
  [0, 1],
  [0, 1_000],
  [0, 10_000],
  [1, 1_000],
  [999, 2],
  [1_000, 1_000],
  [2_400, 1_000],
  [2_499, 1],
  [2_500, 1],
  [999_999_999_999_999, 10_000],
];
Deno.test("a page holds exactly the leaves asked for, in order, wherever blocks begin", async () => {
  const tree = await filled();
  for (const again of ["encoded", "cached"]) {
    for (const [from, limit] of pages) {
      const page = tree.page(from, limit);
      const { count, nextFrom } = page;
      const expected = Array.from({ length: Math.max(0, Math.min(limit, COUNT - from)) }, (_, i) => ({
        leafIndex: from + i,
        commitment: fieldToHex(leaf(from + i)),
      }));
      deepEqual(membersOf(page), expected, `${again} ${from} ${limit}`);
      equal(count, expected.length);
      equal(nextFrom, expected.length > 0 && from + limit < COUNT ? from + limit : null);
    }
  }
});

Deno.test("a block that fills up after it was asked for is served whole", async () => {
  const tree = new PoolTree();
  await tree.append([{ commitment: leaf(0), timestamp: 1 }]);
  tree.page(0, 1_000);
  await tree.append(Array.from({ length: 999 }, (_, i) => ({ commitment: leaf(i + 1), timestamp: 2 })));
  equal(membersOf(tree.page(0, 1_000)).length, 1_000);
});

Deno.test("a pool tree matches a store that begins with its leaves, and no other", async () => {
  const tree = await filled();
  equal(await tree.matchesStoredLeaves(stored(0, COUNT)), true);
  equal(await tree.matchesStoredLeaves(stored(0, COUNT + 900)), true);
  equal(await tree.matchesStoredLeaves(stored(0, COUNT - 1)), false);
  equal(await tree.matchesStoredLeaves(stored(1, COUNT)), false);
  await tree.append([{ commitment: 5n, timestamp: 1 }]);
  equal(await tree.matchesStoredLeaves(stored(0, COUNT + 1)), false);
});

Deno.test("the cache of encoded leaves is bounded, and uncached pages are the same", async () => {
  const tree = new PoolTree(undefined, 150_000); // one block of a thousand leaves, not two
  await tree.load(storeOf(stored(0, COUNT)), "", never);
  const [first, again] = [tree.page(0, COUNT), tree.page(0, COUNT)];
  equal(first.items[0].buffer, again.items[0].buffer);
  notEqual(first.items[1].buffer, again.items[1].buffer);
  deepEqual(membersOf(again), membersOf(first));
  deepEqual(membersOf(again), membersOf((await filled()).page(0, COUNT)));
});

Deno.test("the root after new leaves is computed without an index or a copy of the tree", async () => {
  let most = 0;
  const service: TreeService = {
    ...inlineTreeService,
    hashLevels(levels, start, end) {
      most = Math.max(most, levels[0].length / FIELD_BYTES);
      return inlineTreeService.hashLevels(levels, start, end);
    },
    buildIndex: () => Promise.reject(new Error("the test looks for no leaf")),
  };
  const tree = new PoolTree(service);
  await tree.load(storeOf(stored(0, 2_000)), "", never);
  const { root } = tree;
  most = 0;
  const rest = Array.from({ length: 1_200 }, (_, i) => leaf(2_000 + i));
  const expected = new MerkleTree();
  expected.appendMany(Array.from({ length: 3_200 }, (_, i) => leaf(i)));
  equal(await rootAfter(tree, rest), expected.root);
  equal(most, 2_048, "room for the new leaves");
  deepEqual([tree.root, tree.size], [root, 2_000]);
  equal(await rootAfter(tree, []), root);
});

Deno.test("leaves of a verified history are hashed once, also when they are appended in parts", async () => {
  let hashed = 0;
  const service: TreeService = {
    ...inlineTreeService,
    hashLevels(levels, start, end) {
      hashed += end - start;
      return inlineTreeService.hashLevels(levels, start, end);
    },
  };
  const [tree, expected] = [new PoolTree(service), new PoolTree()];
  const deposits = Array.from({ length: 3_000 }, (_, i) => ({ commitment: leaf(i), timestamp: i }));
  await expected.append(deposits);
  const root = await rootAfter(tree, deposits.map(({ commitment }) => commitment));
  equal(hashed, 3_000);
  for (let from = 0; from < 3_000; from += 700) await tree.append(deposits.slice(from, from + 700));
  equal(hashed, 3_000);
  deepEqual([tree.root, tree.root, tree.times], [root, expected.root, expected.times]);
  await tree.append([{ commitment: leaf(3_000), timestamp: 3_000 }]);
  equal(hashed, 3_001, "a leaf of no verified history is hashed");

  await rootAfter(tree, [leaf(3_001), leaf(3_002)]);
  await tree.append([{ commitment: leaf(9), timestamp: 9 }]);
  await expected.append([{ commitment: leaf(3_000), timestamp: 0 }, { commitment: leaf(9), timestamp: 0 }]);
  equal(tree.root, expected.root, "other leaves than the verified ones are hashed themselves");
});
