/** A snapshot makes a start fast and is never believed: what does not fit is set aside, and the rows decide. */
import { deepEqual, equal } from "node:assert/strict";
import { leavesOf } from "../../tests/support/leaves.ts";
import type { Cursor, Leaves } from "../store/store.ts";
import { treeFiles } from "../store/files/tree_files.ts";
import { rootLog } from "../telemetry/log.ts";
import { packSnapshot, unpackSnapshot } from "../tree/snapshot.ts";
import { PoolTree } from "./pool_tree.ts";
import { restoreTree, saveTree } from "./tree_snapshot.ts";

const pool = `0:${"ab".repeat(32)}`;
const other = `0:${"cd".repeat(32)}`;
const cursor: Cursor = { lt: 50n, hash: "aa" };
const leaves = Array.from({ length: 1_500 }, (_, i) => BigInt(i * i + 1));
const log = rootLog();

const timed = (commitments: readonly bigint[]) =>
  commitments.map((commitment, i) => ({ commitment, timestamp: 1_700_000_000 + i }));

async function treeOf(commitments: readonly bigint[]): Promise<PoolTree> {
  const tree = new PoolTree();
  await tree.append(timed(commitments));
  return tree;
}

async function packed(): Promise<Uint8Array> {
  const { size, levels, times } = await treeOf(leaves);
  return await packSnapshot({ pool, size, cursor, levels, times });
}

/** A store with these leaves and this cursor. */
function rows(commitments: readonly bigint[], now: Cursor | undefined = cursor) {
  return {
    cursor: (): Promise<Cursor | undefined> => Promise.resolve(now),
    async *leaves(_: string, from: number): AsyncIterable<Leaves> {
      for (const [leafIndex, commitment] of commitments.entries()) {
        if (leafIndex >= from) yield leavesOf([{ leafIndex, commitment, timestamp: 0 }]);
      }
    },
  };
}

async function inDirectory(act: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "tonado-tree-" });
  await act(directory).finally(() => Deno.remove(directory, { recursive: true }));
}

Deno.test("tree snapshot: comes back with root, leaves and paths, and grows on", () =>
  inDirectory(async (directory) => {
    const snapshots = treeFiles(`${directory}/made/on/the/way`);
    const tree = await treeOf(leaves);
    equal(await saveTree(pool, tree, 0, { snapshots, store: rows(leaves), log }), leaves.length);
    const back = new PoolTree();
    equal(await restoreTree(pool, back, { snapshots, store: rows(leaves), log }), true);
    deepEqual([back.size, back.root], [tree.size, tree.root]);
    deepEqual(back.find(leaves[777]), { leafIndex: 777, timestamp: 1_700_000_777 });
    deepEqual(back.path(leaves[777]), tree.path(leaves[777]));
    for (const each of [tree, back]) await each.append(timed([7n, 8n, 9n]));
    equal(back.root, tree.root);
    equal(
      (await Array.fromAsync(Deno.readDir(`${directory}/made/on/the/way`))).length,
      1,
      "no draft is left",
    );
  }));

const unfit: [
  claim: string,
  change: (bytes: Uint8Array) => Uint8Array,
  store: ReturnType<typeof rows>,
  id?: string,
][] = [
  ["that is empty", () => new Uint8Array(), rows(leaves)],
  ["that was cut off", (bytes) => bytes.subarray(0, -100), rows(leaves)],
  ["with one bit turned in a node", (bytes) => (bytes[bytes.length - 5_000] ^= 1, bytes), rows(leaves)],
  ["with one bit turned in its header", (bytes) => (bytes[40] ^= 1, bytes), rows(leaves)],
  ["of another pool", (bytes) => bytes, rows(leaves), other],
  ["of another store, whose leaves differ", (bytes) => bytes, rows(leaves.map((leaf) => leaf + 1n))],
  ["that is ahead of the store", (bytes) => bytes, rows(leaves.slice(0, 900), { lt: 40n, hash: "bb" })],
  ["of a store that has lost its rows", (bytes) => bytes, rows([])],
  ["of a store that knows no history", (bytes) => bytes, {
    ...rows(leaves),
    cursor: () => Promise.resolve(undefined),
  }],
];
for (const [claim, change, store, id = pool] of unfit) {
  Deno.test(`tree snapshot: one ${claim} is set aside`, async () => {
    const bytes = change(
      await packed(),
    );
    const tree = new PoolTree();
    const snapshots = { load: () => Promise.resolve(bytes), save: () => Promise.resolve() };
    equal(await restoreTree(id, tree, { snapshots, store, log }), false);
    equal(tree.size, 0);
  });
}

Deno.test("tree snapshot: is written again when the tree has grown by a part of its size, and at the end", async () => {
  let writes = 0;
  const snapshots = {
    load: () => Promise.resolve(undefined),
    save: async (_: string, bytes: Uint8Array) => {
      writes++;
      equal((await unpackSnapshot(bytes))!.size, tree.size);
    },
  };
  const deps = { snapshots, store: rows(leaves), log };
  const tree = await treeOf(leaves.slice(0, 1_000));
  equal(await saveTree(pool, tree, 0, deps, true), 0, "a small one never");
  await tree.append(timed(leaves.slice(1_000)));
  let saved = await saveTree(pool, tree, 0, deps);
  await tree.append(timed([5n]));
  saved = await saveTree(pool, tree, saved, deps);
  deepEqual([saved, writes], [1_500, 1]);
  saved = await saveTree(pool, tree, saved, deps, true);
  deepEqual([saved, writes], [1_501, 2]);
  await saveTree(pool, tree, saved, deps, true);
  equal(writes, 2, "nothing is new");
});
