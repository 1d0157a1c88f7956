import { equal, rejects } from "node:assert/strict";
import { Address, type TupleItem, TupleReader } from "@ton/core";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../../core/tree/merkle_tree.ts";
import type { Chain } from "../../ton/chain.ts";
import { Pool } from "../../ton/pool/pool.ts";
import { verifyMerklePath } from "./merkle_path_check.ts";

const tree = new MerkleTree();
tree.appendMany([5n, 6n, 7n]);

function poolWith(...roots: bigint[]): Pool {
  const items = Array.from(
    { length: ROOT_HISTORY_SIZE },
    (_, i): TupleItem => ({ type: "int", value: roots[i] ?? 0n }),
  );
  const runGetMethod = () => Promise.resolve(new TupleReader([{ type: "tuple", items }]));
  return new Pool({ runGetMethod } as Partial<Chain> as Chain, new Address(0, Buffer.alloc(32, 1)));
}

Deno.test("a path from the deposit to one of the pool's roots is accepted, on either side of its siblings", async () => {
  for (const [i, commitment] of [5n, 6n, 7n].entries()) {
    const path = { ...tree.path(i), root: tree.root };
    equal(await verifyMerklePath(poolWith(9n, tree.root), commitment, path), path);
  }
});

Deno.test("a path of another deposit, or with another sibling or root, is refused", async () => {
  const path = { ...tree.path(1), root: tree.root };
  const [first, ...rest] = path.pathElements;
  const unavailable = { code: "relayer_unavailable" };
  const pool = poolWith(tree.root, 8n);
  await rejects(verifyMerklePath(pool, 7n, path), unavailable);
  await rejects(verifyMerklePath(pool, 6n, { ...path, pathElements: [first + 1n, ...rest] }), unavailable);
  await rejects(verifyMerklePath(pool, 6n, { ...path, root: 8n }), unavailable); // a root that the pool has
  await rejects(verifyMerklePath(poolWith(8n), 6n, path), unavailable);
});
