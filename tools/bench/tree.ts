/** Building a tree from bigint leaves through the public API, against the same tree over npm `poseidon-bls12381`. */
import assert from "node:assert/strict";
import { poseidon2 } from "poseidon-bls12381";
import { MerkleTree } from "../../src/core/merkle_tree.ts";
import { zeros } from "../../src/core/zeros.ts";
import type { Section } from "./section.ts";

const LEAVES = 2048;

function ours(leaves: readonly bigint[]): bigint {
  const tree = new MerkleTree();
  tree.appendMany(leaves);
  return tree.root;
}

/** The least that npm's hash needs for the root: every node once. */
function theirs(leaves: readonly bigint[]): bigint {
  let nodes = [...leaves];
  for (let level = 0; level < 20; level++) {
    const parents: bigint[] = [];
    for (let i = 0; i < nodes.length; i += 2) {
      parents.push(poseidon2([nodes[i], nodes[i + 1] ?? zeros[level]]));
    }
    nodes = parents;
  }
  return nodes[0];
}

export const treeSection: Section = {
  title: `Merkle tree of ${LEAVES} leaves`,
  operation: "leaf",
  rounds: 5,
  open() {
    const leaves = Array.from({ length: LEAVES }, (_, i) => BigInt(i) ** 10n);
    assert.equal(ours(leaves), theirs(leaves));
    return [
      { name: "ours", operations: LEAVES, run: () => ours(leaves) },
      { name: "npm poseidon-bls12381", operations: LEAVES, run: () => theirs(leaves) },
    ];
  },
};
