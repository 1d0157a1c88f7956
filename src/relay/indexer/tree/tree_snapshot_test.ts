import { deepEqual, equal, notDeepEqual } from "node:assert/strict";
import { withTempDirectory } from "../../../../testkit/programs/temp_directory.ts";
import { toLeaves } from "../../../../testkit/relayer/leaf_batches.ts";
import { freshDatabase, postgresServer } from "../../../../testkit/servers/services.ts";
import { depositTime, generateDepositRows } from "../../../../testkit/relayer/deposit_rows.ts";
import { FIELD_BYTES } from "../../../core/crypto/field.ts";
import { Secret } from "../../../core/text/secret.ts";
import type { ArchivedStore } from "../../../store/archive.ts";
import { createTreeSnapshotFiles } from "../../../store/files/tree_snapshot_files.ts";
import { openKvStore } from "../../../store/kv/kv_store.ts";
import { openPostgresStore } from "../../../store/postgres/postgres_store.ts";
import type { LeafRange } from "../../../store/store.ts";
import { rootLog } from "../../../telemetry/log.ts";
import {
  decodeSnapshot,
  encodeSnapshot,
  MAX_SNAPSHOT_BYTES,
  type TreeSnapshot,
} from "../../../tree/snapshot_codec.ts";
import { PoolTree } from "./pool_tree.ts";
import { deriveSnapshotKey, restoreTree, saveTree } from "./tree_snapshot.ts";

const pool = `0:${"ab".repeat(32)}`;
const other = `0:${"cd".repeat(32)}`;
const leaves = Array.from({ length: 1_500 }, (_, i) => BigInt(i * i + 1));
const key = deriveSnapshotKey(new Secret("abandon ability able"));
const log = rootLog();

const timed = (commitments: readonly bigint[]) =>
  commitments.map((commitment, i) => ({ commitment, timestamp: depositTime(i) }));

async function treeOf(commitments: readonly bigint[]): Promise<PoolTree> {
  const tree = new PoolTree();
  await tree.append(timed(commitments));
  return tree;
}

async function snapshot(): Promise<TreeSnapshot> {
  const { size, levels, times } = await treeOf(leaves);
  return { pool, size, levels: levels.map((nodes) => nodes.slice()), timestamps: times };
}

function rows(commitments: readonly bigint[]) {
  return {
    async *leaves(_: string, from: number): AsyncIterable<LeafRange> {
      for (const [leafIndex, leaf] of timed(commitments).entries()) {
        if (leafIndex >= from) yield toLeaves([{ leafIndex, ...leaf }]);
      }
    },
  };
}

const lying = (bytes: Uint8Array<ArrayBuffer>) => ({
  sealKey: key,
  load: () => Promise.resolve(bytes),
  save: () => Promise.resolve(),
});

Deno.test("a loaded tree has the same root, leaves and paths, and can grow", () =>
  withTempDirectory(async (directory) => {
    const snapshots = createTreeSnapshotFiles(`${directory}/made/on/the/way`, key, MAX_SNAPSHOT_BYTES);
    const tree = await treeOf(leaves);
    equal(await saveTree(pool, tree, 0, { snapshots, log }), leaves.length);
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
  change: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>,
  store: ReturnType<typeof rows>,
  id?: string,
][] = [
  ["that is empty", () => new Uint8Array(), rows(leaves)],
  ["that was cut off", (bytes) => bytes.subarray(0, -100), rows(leaves)],
  ["with one bit turned in a node", (bytes) => (bytes[bytes.length - 5_000] ^= 1, bytes), rows(leaves)],
  ["with one bit turned in its header", (bytes) => (bytes[40] ^= 1, bytes), rows(leaves)],
  ["of another pool", (bytes) => bytes, rows(leaves), other],
  ["of another store, whose leaves differ", (bytes) => bytes, rows(leaves.map((leaf) => leaf + 1n))],
  ["that is ahead of the store", (bytes) => bytes, rows(leaves.slice(0, 900))],
  ["of a store that has lost its rows", (bytes) => bytes, rows([])],
];
for (const [claim, change, store, id = pool] of unfit) {
  Deno.test(`tree snapshot: one ${claim} is ignored`, async () => {
    const bytes = change(await encodeSnapshot(await snapshot(), key));
    const tree = new PoolTree();
    equal(await restoreTree(id, tree, { snapshots: lying(bytes), store, log }), false);
    equal(tree.size, 0);
  });
}

const stores: [
  name: string,
  ignore: boolean,
  use: (act: (store: ArchivedStore) => Promise<void>) => Promise<void>,
][] = [
  ["KV", false, (act) =>
    withTempDirectory(async (directory) => {
      const store = await openKvStore(directory);
      await act(store).finally(() => store.close());
    })],
  ["PostgreSQL", !await postgresServer(), async (act) => {
    await using database = await freshDatabase();
    const store = await openPostgresStore(database.url);
    await act(store).finally(() => store.close());
  }],
];
/** Changes that an attacker with write access to the file could make. */
const forgeries: [what: string, forge: (snapshot: TreeSnapshot) => unknown][] = [
  ["another leaf 7", ({ levels }) => levels[0][8 * FIELD_BYTES - 1] ^= 1],
  ["another time of leaf 7", ({ timestamps: times }) => times[7] ^= 1],
  ["another node", ({ levels }) => levels[3][FIELD_BYTES - 1] ^= 1],
];
const theirs = deriveSnapshotKey(new Secret("zoo zoo zoo"));
for (const [name, ignore, use] of stores) {
  Deno.test({
    name: `tree snapshot: of rows in ${name} nothing is believed for being in the file`,
    ignore,
    fn: () =>
      use(async (store) => {
        await store.restore(
          generateDepositRows({ pool, wallet: other, commitments: leaves, cursor: { lt: 50n, hash: "aa" } }),
        );
        const restores = async (packed: TreeSnapshot, by: Uint8Array) => {
          const tree = new PoolTree();
          const snapshots = lying(await encodeSnapshot(packed, by));
          const restored = await restoreTree(pool, tree, { snapshots, store, log });
          equal(tree.size, restored ? leaves.length : 0);
          return restored;
        };
        equal(await restores(await snapshot(), key), true);
        equal(await restores(await snapshot(), theirs), false, "a true one that they have sealed");
        for (const [what, forge] of forgeries) {
          const forged = await snapshot();
          forge(forged);
          equal(await restores(forged, theirs), false, what);
          if (what !== "another node") {
            equal(await restores(forged, key), false, `${what}, sealed with our key`);
          }
        }
      }),
  });
}

Deno.test("replicas of one wallet share a key, and other wallets have other keys", () => {
  deepEqual(deriveSnapshotKey(new Secret("abandon ability able")), key);
  notDeepEqual(theirs, key);
});

Deno.test("a tree snapshot is saved again when the tree has grown by a fraction, and at the end", async () => {
  let writes = 0;
  const snapshots = {
    sealKey: key,
    load: () => Promise.resolve(undefined),
    save: async (_: string, bytes: Uint8Array) => {
      writes++;
      equal((await decodeSnapshot(bytes.slice(), key))!.size, tree.size);
    },
  };
  const deps = { snapshots, log };
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

Deno.test("without a snapshot store no snapshot is saved, and nothing is logged", async () => {
  const lines: string[] = [];
  const deps = { log: { ...log, warning: (text: string) => lines.push(text) } as unknown as typeof log };
  const tree = await treeOf(leaves);
  equal(await saveTree(pool, tree, 0, deps, true), 0);
  equal(await restoreTree(pool, tree, { ...deps, store: rows(leaves) }), false);
  deepEqual([lines, tree.size], [[], leaves.length]);
});
