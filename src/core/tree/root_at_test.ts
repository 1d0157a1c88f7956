import { deepEqual } from "node:assert/strict";
import { MerkleTree } from "./merkle_tree.ts";
import { nodesOf, rootAt } from "./root_at.ts";

Deno.test("the root of a tree's first leaves is the root that it had with them", () => {
  const tree = new MerkleTree();
  const roots = [tree.root];
  for (let i = 0n; i < 40n; i++) {
    tree.append(i);
    roots.push(tree.root);
  }
  const nodeAt = nodesOf(tree.levels);
  deepEqual(roots.map((_, size) => rootAt(size, nodeAt)), roots);
});
