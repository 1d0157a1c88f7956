/** Snapshots of trees: packed, sealed and damaged ones. */
import assert from "node:assert/strict";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { TREE_CAPACITY } from "../../../src/core/tree/tree_levels.ts";
import type { TreeSnapshot } from "../../../src/tree/snapshot_codec.ts";
import { inlineTreeService, type TreeService } from "../../../src/tree/tree_service.ts";
import { bytesOf, plainTree, refuses, withWorkers } from "../../support/tree/tree_services.ts";

const key = new Uint8Array(32).fill(7);

async function* packed(service: TreeService): AsyncGenerator<[size: number, tree: MerkleTree]> {
  const header = { pool: "0:ab" };
  for (const size of [0, 1, 2, 3, 31, 32, 33, 1_023, 1_024, 1_025]) {
    const times = Uint32Array.from({ length: size }, (_, i) => 2 ** 32 - 1 - i);
    const bytes = await service.encodeSnapshot({
      ...header,
      size,
      levels: plainTree(size).levels,
      timestamps: times,
    }, key);
    const { levels, ...back } = (await service.decodeSnapshot(bytes, key))!;
    assert.deepEqual(back, { ...header, size, timestamps: times });
    yield [size, MerkleTree.fromLevels(size, levels)];
  }
}

for (const where of ["workers", "this thread"]) {
  Deno.test(`a snapshot by ${where} is decoded with every node, and its tree can grow`, () =>
    withWorkers({ maxWorkers: 1 }, async (workers) => {
      const service = where === "workers" ? workers : inlineTreeService;
      for await (const [size, tree] of packed(service)) {
        assert.equal(tree.root, plainTree(size).root);
        await tree.appendUsing(bytesOf(size, size + 300), service);
        assert.equal(tree.root, plainTree(size + 300).root);
      }
    }));
}

Deno.test("a snapshot with too few or too many nodes is refused", async () => {
  const times = new Uint32Array(5);
  const header = { pool: "0:ab", size: 5, timestamps: times };
  const back = async (snapshot: TreeSnapshot) =>
    await inlineTreeService.decodeSnapshot(await inlineTreeService.encodeSnapshot(snapshot, key), key);
  const [{ levels }, larger] = [plainTree(5), plainTree(9)];
  for (const wrong of [levels.slice(0, -1), larger.levels, [...levels, levels[0]]]) {
    assert.equal(await back({ ...header, levels: wrong }), undefined);
  }
  for (const size of [-1, 0.5, TREE_CAPACITY + 1]) {
    assert.equal(await back({ ...header, size, levels }), undefined);
    assert.throws(() => MerkleTree.fromLevels(size, levels), RangeError);
  }
  assert.throws(() => MerkleTree.fromLevels(9, levels), RangeError);
  const odd = levels.map((nodes) => nodes.slice().fill(255));
  await assert.rejects(back({ ...header, levels: odd }), refuses("not_in_field"));
});

/** Returns bytes with a valid seal over any header. */
function sealed(header: string, magic = "tonado tree 3\n"): Uint8Array<ArrayBuffer> {
  const body = new TextEncoder().encode(`${magic}\0\0\0${String.fromCharCode(header.length)}${header}`);
  return new Uint8Array([...body, ...hmac(sha256, key, body)]);
}

const tree0 = '{"pool":"0:ab","size":0}';

Deno.test("a sealed snapshot without a sound header is damaged", async () => {
  assert.ok(await inlineTreeService.decodeSnapshot(sealed(tree0), key), "else the cases below say nothing");
  const headers = ["", "null", "{", "7", "[]", "{}", '"0:ab"', '{"size":0}', '{"pool":"0:ab","size":"0"}'];
  for (const header of headers) {
    assert.equal(await inlineTreeService.decodeSnapshot(sealed(header), key), undefined, header);
  }
  for (const magic of ["tonado tree 2\n", "tonado tree 4\n"]) {
    assert.equal(await inlineTreeService.decodeSnapshot(sealed(tree0, magic), key), undefined, magic);
  }
  assert.equal(await inlineTreeService.decodeSnapshot(sealed(tree0), key.map((byte) => byte ^ 1)), undefined);
});
