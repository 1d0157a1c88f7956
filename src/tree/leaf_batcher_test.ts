import { deepEqual, equal, rejects } from "node:assert/strict";
import { FIELD_BYTES, FIELD_MODULUS, fieldToBytes } from "../core/crypto/field.ts";
import { MerkleTree } from "../core/tree/merkle_tree.ts";
import { LeafBatcher } from "./leaf_batcher.ts";
import { inlineTreeService } from "./tree_service.ts";

/** The batch of this size grows once, from 1,024 leaves, and is appended whenever it is full. */
const MAX_BATCH_LEAVES = 1_536;

const leaf = (i: number) => BigInt(i + 1) ** 7n;

function bytesOf(from: number, to: number): Uint8Array {
  const bytes = new Uint8Array((to - from) * FIELD_BYTES);
  for (let i = from; i < to; i++) bytes.set(fieldToBytes(leaf(i)), (i - from) * FIELD_BYTES);
  return bytes;
}

const pieces: [what: string, sizes: number[]][] = [
  ["that end where a batch ends", [1_024, 512, 1_536]],
  ["that cross the ends of batches", [700, 700, 700, 700]],
  ["larger than a batch", [3_500]],
  ["of every kind, and none", [0, 1, 1_022, 0, 2, 600, 1]],
];
for (const [what, sizes] of pieces) {
  for (const how of ["pieces", "single leaves"]) {
    Deno.test(`leaf batcher: ${how} ${what} are each appended once, in order`, async () => {
      const tree = new MerkleTree();
      tree.append(leaf(0));
      const batcher = new LeafBatcher(tree, inlineTreeService, MAX_BATCH_LEAVES);
      let size = 1;
      for (const count of sizes) {
        if (how === "pieces") await batcher.addBytes(bytesOf(size, size + count));
        else for (let i = size; i < size + count; i++) await batcher.add(leaf(i));
        size += count;
        equal(batcher.size, size);
      }
      await batcher.flush();
      equal(tree.size, size);
      deepEqual(
        Array.from({ length: size }, (_, i) => tree.leaf(i)),
        Array.from({ length: size }, (_, i) => leaf(i)),
      );
    });
  }
}

Deno.test("a full batch is appended after the batch that is being hashed", async () => {
  const tree = new MerkleTree();
  const release: (() => void)[] = [];
  const batcher = new LeafBatcher(tree, {
    ...inlineTreeService,
    hashLevels: async (...levels) => {
      await new Promise<void>((resolve) => release.push(resolve));
      return await inlineTreeService.hashLevels(...levels);
    },
  }, MAX_BATCH_LEAVES);
  const collected = batcher.addBytes(bytesOf(0, 2 * MAX_BATCH_LEAVES + 1));
  const turn = () => new Promise((resolve) => setTimeout(resolve));
  await turn();
  deepEqual([release.length, tree.size], [1, 0]);
  release[0]();
  await collected;
  equal(tree.size, MAX_BATCH_LEAVES);
  const flushed = batcher.flush();
  await turn();
  release[1]();
  await turn();
  release[2]();
  await flushed;
  deepEqual(tree.leaf(2 * MAX_BATCH_LEAVES), leaf(2 * MAX_BATCH_LEAVES));
});

Deno.test("the error of a batch is thrown by the next call, and waiting for it throws nothing", async () => {
  const tree = new MerkleTree();
  const batcher = new LeafBatcher(tree, {
    ...inlineTreeService,
    hashLevels: () => Promise.reject(new Error("the hasher is gone")),
  }, MAX_BATCH_LEAVES);
  await batcher.addBytes(bytesOf(0, 2_000));
  await batcher.waitUntilIdle();
  await rejects(batcher.flush(), /the hasher is gone/);
  equal(tree.size, 0);
  await rejects(new LeafBatcher(tree, inlineTreeService).add(FIELD_MODULUS), { code: "not_in_field" });
});
