import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { FIELD_MODULUS } from "../../../core/crypto/field.ts";
import { MerkleTree } from "../../../core/tree/merkle_tree.ts";
import type { PoolEvent } from "../../../ton/pool/history/pool_events.ts";
import { V2PoolRebuild } from "./rebuilt_pool.ts";

const base = {
  tx: { lt: 1n, hash: "00" },
  timestamp: 1000,
  queryId: 0n,
  messageHash: "00",
  sender: Address.parse("0:" + "22".repeat(32)),
};
const deposit = (leafIndex: number, commitment = BigInt(leafIndex + 100)): PoolEvent => ({
  ...base,
  kind: "deposit",
  leafIndex,
  commitment,
});
const rootOf = (leaves: number) => {
  const tree = new MerkleTree();
  tree.appendMany(Array.from({ length: leaves }, (_, i) => BigInt(i + 100)));
  return tree.root;
};
const settlement = (rootNumber: number, end: number, newRoot = rootOf(end)): PoolEvent => ({
  ...base,
  kind: "settlement",
  rootNumber,
  end,
  newRoot,
});
const withdrawal = (nullifierHash: bigint): PoolEvent => ({
  ...base,
  kind: "withdrawal",
  nullifierHash,
  fee: 0n,
  refund: 0n,
  recipient: base.sender,
  relayer: null,
});
const twenty = Array.from({ length: 20 }, (_, leafIndex) => deposit(leafIndex));

function rebuild(events: readonly PoolEvent[]) {
  const collected = new V2PoolRebuild();
  for (const event of events) collected.add(event);
  return collected.result();
}

Deno.test("logs of a pool give its tree, queue, roots and spent set", () => {
  const empty = rebuild([]);
  assert.deepEqual([empty.leaves, empty.rootHistory, empty.acceptedRoots], [0, [rootOf(0)], []]);
  const rebuilt = rebuild([...twenty, settlement(0, 16), settlement(1, 19), withdrawal(7n), withdrawal(8n)]);
  assert.equal(rebuilt.fault, undefined);
  assert.deepEqual([rebuilt.leaves, rebuilt.commitments.length, rebuilt.rootCount], [19, 20, 2]);
  assert.deepEqual(rebuilt.rootHistory, [rootOf(19), rootOf(16)]);
  assert.deepEqual(rebuilt.acceptedRoots, [rootOf(16), rootOf(19)]);
  assert.deepEqual([rebuilt.withdrawals, rebuilt.distinctNullifiers], [2, 2]);
  assert.ok(rebuilt.spent.has(7n) && !rebuilt.spent.has(9n));
});

const faults: [what: string, events: PoolEvent[], fault: RegExp][] = [
  ["a missing deposit", [deposit(0), deposit(2)], /found leaf 2, expected leaf 1/],
  ["a commitment outside the field", [deposit(0, FIELD_MODULUS)], /leaf 0 is not a field element/],
  ["a missing settlement", [...twenty, settlement(1, 16)], /found settlement 1, expected settlement 0/],
  ["a settlement beyond the queue", [deposit(0), settlement(0, 2)], /settlement 0 ends at 2/],
  ["a settlement across two chunks", [...twenty, settlement(0, 17)], /settlement 0 ends at 17/],
  ["a settlement of nothing", [...twenty, settlement(0, 16), settlement(1, 16)], /settlement 1 ends at 16/],
  [
    "a root that the leaves do not give",
    [...twenty, settlement(0, 16, 5n)],
    /root that its leaves do not give/,
  ],
];
for (const [what, events, fault] of faults) {
  Deno.test(`logs with ${what} are a fault, and withdrawals are still counted`, () => {
    const rebuilt = rebuild([...events, settlement(9, 99), withdrawal(7n), withdrawal(7n)]);
    assert.match(rebuilt.fault!, fault);
    assert.deepEqual([rebuilt.withdrawals, rebuilt.distinctNullifiers], [2, 1]);
  });
}
