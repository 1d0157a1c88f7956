/** Leaves as a store gives them, and one by one. */
import { FIELD_BYTES, fromBytes, toBytes } from "../../src/core/field.ts";
import type { Deposit, Leaves, PoolId, Store } from "../../src/store/store.ts";

/** A leaf with its place. */
export type StoredLeaf = Pick<Deposit, "leafIndex" | "commitment" | "timestamp">;

/** Consecutive leaves, at least one. */
export function leavesOf(leaves: readonly StoredLeaf[]): Leaves {
  const commitments = new Uint8Array(leaves.length * FIELD_BYTES);
  for (const [i, { commitment }] of leaves.entries()) commitments.set(toBytes(commitment), i * FIELD_BYTES);
  const times = Uint32Array.from(leaves, ({ timestamp }) => timestamp);
  return { first: leaves[0].leafIndex, commitments, times };
}

/** Every leaf that a store gives from one on. */
export async function storedLeaves(
  store: Pick<Store, "leaves">,
  pool: PoolId,
  leafIndex = 0,
): Promise<StoredLeaf[]> {
  const all: StoredLeaf[] = [];
  for await (const { first, commitments, times } of store.leaves(pool, leafIndex)) {
    for (const [i, timestamp] of times.entries()) {
      const commitment = fromBytes(commitments.subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES));
      all.push({ leafIndex: first + i, commitment, timestamp });
    }
  }
  return all;
}
