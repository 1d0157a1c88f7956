import { deepEqual, equal, rejects } from "node:assert/strict";
import { poolAddress, ScriptedPool } from "../../testkit/simulation/scripted_pool.ts";
import { depositLog } from "../../testkit/simulation/transactions.ts";
import { Problem } from "../core/errors/problem.ts";
import { MerkleTree } from "../core/tree/merkle_tree.ts";
import { openPool } from "../ton/pool/any_pool.ts";
import type { RelayerClient } from "./relayer/relayer_client.ts";
import {
  commitmentsFromChain,
  type CommitmentSource,
  fetchVerifiedTree,
  syncTree,
  syncWholeTree,
} from "./tree_sync.ts";

const denomination = 10_000_000_000n;

function poolWith(leaves: number, kind: 0 | 2 = 0) {
  const scene = new ScriptedPool({ kind, denomination });
  for (let i = 1; i <= leaves; i++) scene.deposit(BigInt(i));
  const pool = openPool(scene.chain, poolAddress, kind === 2 ? 2 : 1);
  return { scene, pool };
}

const flat = async (source: CommitmentSource, from: number) =>
  (await Array.fromAsync(source.commitments(from))).flat();

function sourceThatHas(
  counts: readonly number[],
  shift = 0n,
): { source: CommitmentSource; requests: number[] } {
  const requests: number[] = [];
  const source = {
    async *commitments(from: number) {
      const count = counts[Math.min(requests.push(from), counts.length) - 1];
      yield await Promise.resolve(
        Array.from({ length: count - from }, (_, i) => BigInt(from + i + 1) + shift),
      );
    },
  };
  return { source, requests };
}

Deno.test("the pool's logs give the leaves in order, from any leaf on, and later only the new ones", async () => {
  const { scene } = poolWith(3);
  const source = commitmentsFromChain(scene.chain, poolAddress);
  deepEqual(await flat(source, 0), [1n, 2n, 3n]);
  deepEqual(await flat(source, 3), []);
  scene.deposit(4n);
  deepEqual(await flat(source, 3), [4n]);
  deepEqual(await flat(source, 4), []);
  deepEqual(await flat(source, 2), [3n, 4n], "a smaller tree is filled from the start of the logs");
  const fresh = commitmentsFromChain(scene.chain, poolAddress);
  deepEqual(await flat(fresh, 2), [3n, 4n]);
});

Deno.test("leaves of a version 2 pool are given when they are settled, and not before", async () => {
  const { scene } = poolWith(2, 2);
  const source = commitmentsFromChain(scene.chain, poolAddress, 2);
  deepEqual(await flat(source, 0), []);
  scene.settle();
  deepEqual(await flat(source, 0), [1n, 2n]);
  scene.deposit(3n);
  deepEqual(await flat(source, 2), []);
  scene.settle();
  scene.deposit(4n);
  deepEqual(await flat(source, 2), [3n]);
});

Deno.test("after a contradiction in the logs, the next read begins anew", async () => {
  const { scene } = poolWith(2);
  const source = commitmentsFromChain(scene.chain, poolAddress);
  deepEqual(await flat(source, 0), [1n, 2n]);
  scene.add(poolAddress, { from: poolAddress, logs: [depositLog(9n, 5, scene.chainTime)] });
  await rejects(flat(source, 2), { code: "chain_inconsistent", message: /found leaf 5, expected leaf 2/ });
  scene.removeNewest(poolAddress, 1);
  scene.deposit(3n);
  deepEqual(await flat(source, 2), [3n]);
});

Deno.test("a synced tree has the pool's root, and reports each batch", async () => {
  const { scene, pool } = poolWith(3);
  const seen: number[] = [];
  const { source } = sourceThatHas([3]);
  const tree = await syncTree(pool, source, undefined, ({ leafCount }) => void seen.push(leafCount));
  deepEqual([tree.root, tree.size, seen], [scene.tree.root, 3, [3]]);
});

Deno.test("a tree whose root the pool does not have is refused", async () => {
  const { pool } = poolWith(3);
  const { source } = sourceThatHas([3], 1n);
  await rejects(syncTree(pool, source), { code: "unknown_root", message: /the tree of 3 leaves/ });
});

Deno.test("leaves that arrived before an error are kept for the next attempt", async () => {
  const { pool, scene } = poolWith(3);
  const { source, requests } = sourceThatHas([2, 3]);
  const failing: CommitmentSource = {
    async *commitments(from) {
      yield* source.commitments(from);
      throw new Problem("relayer_unavailable");
    },
  };
  const kept = new MerkleTree();
  await rejects(syncTree(pool, failing, kept), { code: "relayer_unavailable" });
  equal(kept.size, 2);
  await syncTree(pool, source, kept);
  deepEqual([kept.root, requests], [scene.tree.root, [0, 2]]);
});

const waits: [
  name: string,
  counts: number[],
  timeoutMs: number | undefined,
  reads: number,
  endsAt: number,
][] = [
  ["that is complete is read once", [3], undefined, 1, 0],
  ["that is behind is read again every 1.5 s", [1, 2, 3], undefined, 3, 3_000],
  ["without leaves is behind, and not wrong", [0, 3], undefined, 2, 1_500],
  ["that is behind until the timeout is still read then", [2, 2, 2, 3], 6_000, 4, 4_500],
];
for (const [name, counts, treeTimeoutMs, reads, endsAt] of waits) {
  Deno.test(`a source ${name}`, async () => {
    const { scene, pool } = poolWith(3);
    const { source, requests } = sourceThatHas(counts);
    const tree = await syncWholeTree(pool, source, undefined, { treeTimeoutMs, clock: scene.clock });
    deepEqual([tree.root, requests.length, scene.now], [scene.tree.root, reads, endsAt]);
  });
}

for (const [treeTimeoutMs, endsAt] of [[undefined, 24_000], [3_000, 3_000], [0, 0]] as const) {
  Deno.test(`a source that omits a deposit fails within ${treeTimeoutMs ?? 25_000} ms`, async () => {
    const { scene, pool } = poolWith(3);
    const { source } = sourceThatHas([2]);
    const synced = syncWholeTree(pool, source, undefined, { treeTimeoutMs, clock: scene.clock });
    await rejects(synced, { code: "tree_incomplete", message: /^1 of the pool's 3 deposits are left out/ });
    equal(scene.now, endsAt);
  });
}

Deno.test("an empty pool has the empty tree, and a source that invents leaves for it is refused", async () => {
  const { scene, pool } = poolWith(0);
  const tree = await syncWholeTree(pool, sourceThatHas([0]).source, undefined, { clock: scene.clock });
  equal(tree.size, 0);
  const invented = syncWholeTree(pool, sourceThatHas([1]).source, undefined, { clock: scene.clock });
  await rejects(invented, { code: "unknown_root" });
});

const relayers: [name: string, root: bigint | undefined, shift: bigint, expected: object | undefined][] = [
  ["with the pool's leaves is accepted", undefined, 0n, undefined],
  ["whose root the pool does not have is refused before its leaves are read", 7n, 0n, {
    code: "relayer_unavailable",
    message: /not among the pool's last 30/,
  }],
  ["whose leaves do not make its root is refused", undefined, 1n, {
    code: "relayer_unavailable",
    message: /leaves do not make a root/,
  }],
];
for (const [name, root, shift, expected] of relayers) {
  Deno.test(`the tree of a relayer ${name}`, async () => {
    const { scene, pool } = poolWith(3);
    let pages = 0;
    const relayer = {
      treeRoot: () => Promise.resolve(root ?? scene.tree.root),
      treeCommitments: (_pool: unknown, from: number) => {
        pages++;
        return sourceThatHas([3], shift).source.commitments(from);
      },
    } as unknown as RelayerClient;
    const fetched = fetchVerifiedTree(relayer, pool, { clock: scene.clock });
    if (expected) await rejects(fetched, expected);
    else equal((await fetched).root, scene.tree.root);
    equal(pages, root === undefined ? 1 : 0);
  });
}

Deno.test("a relayer that is behind is reported as incomplete, and one that fails as it failed", async () => {
  const { scene, pool } = poolWith(3);
  const relayerWith = (commitments: () => AsyncIterable<readonly bigint[]>) =>
    ({
      treeRoot: () => Promise.resolve(scene.tree.root),
      treeCommitments: commitments,
    }) as unknown as RelayerClient;
  const behind = relayerWith(() => sourceThatHas([2]).source.commitments(0));
  await rejects(fetchVerifiedTree(behind, pool, { clock: scene.clock, treeTimeoutMs: 0 }), {
    code: "tree_incomplete",
  });
  const broken = relayerWith(() => {
    throw new Problem("chain_unavailable");
  });
  await rejects(fetchVerifiedTree(broken, pool, { clock: scene.clock }), { code: "chain_unavailable" });
});
