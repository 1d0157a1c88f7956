import { deepEqual, equal } from "node:assert/strict";
import { Address } from "@ton/core";
import { ScriptedChain } from "../../../testkit/simulation/scripted_chain.ts";
import { depositLog } from "../../../testkit/simulation/transactions.ts";
import { FIELD_MODULUS } from "../../core/crypto/field.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import { rebuildTree } from "./rebuilt_tree.ts";

const pool = Address.parse(`0:${"11".repeat(32)}`);
const payer = Address.parse(`0:${"22".repeat(32)}`);

/** Rebuilds the tree of a pool that logged these deposits. */
async function rebuilt(deposits: readonly { leafIndex: number; commitment: bigint }[]) {
  const scripted = new ScriptedChain();
  for (const { commitment, leafIndex } of deposits) {
    scripted.add(pool, { from: payer, logs: [depositLog(commitment, leafIndex, 0)] });
  }
  return await rebuildTree(scripted.chain, pool, {});
}

const two = [{ leafIndex: 0, commitment: 5n }, { leafIndex: 1, commitment: FIELD_MODULUS - 1n }];

Deno.test("a rebuilt tree has the logged leaves, and the root after each of them", async () => {
  const tree = new MerkleTree();
  const roots = two.map(({ commitment }) => {
    tree.append(commitment);
    return tree.root;
  });
  deepEqual(await rebuilt(two), {
    leaves: 2,
    rootHistory: roots.toReversed(),
    withdrawals: 0,
    distinctNullifiers: 0,
  });
});

for (
  const [what, third, fault] of [
    ["a missing leaf", { leafIndex: 3, commitment: 6n }, "found leaf 3, expected leaf 2"],
    [
      "a leaf outside the field",
      { leafIndex: 2, commitment: FIELD_MODULUS },
      "leaf 2 is not a field element",
    ],
  ] as const
) {
  Deno.test(`${what} is a fault of the logs, and the tree ends before it`, async () => {
    const found = await rebuilt([...two, third, { leafIndex: 2, commitment: 7n }]);
    equal(found.fault, fault);
    deepEqual({ ...found, fault: undefined }, { ...await rebuilt(two), fault: undefined });
  });
}
