/** Converts between leaves one by one and the ranges that a store returns. */
import { FIELD_BYTES, fieldFromBytes, fieldToBytes } from "../../src/core/crypto/field.ts";
import type { Deposit, LeafRange, PoolId, Store } from "../../src/store/store.ts";

/** A leaf with its index. */
type StoredLeaf = Pick<Deposit, "leafIndex" | "commitment" | "timestamp">;

/** Returns a range of consecutive leaves, at least one. */
export function toLeaves(leaves: readonly StoredLeaf[]): LeafRange {
  const commitments = new Uint8Array(leaves.length * FIELD_BYTES);
  for (const [i, { commitment }] of leaves.entries()) {
    commitments.set(fieldToBytes(commitment), i * FIELD_BYTES);
  }
  const times = Uint32Array.from(leaves, ({ timestamp }) => timestamp);
  return { firstIndex: leaves[0].leafIndex, commitments, times };
}

/** Returns all leaves of a store from one index on. */
export async function readLeaves(
  store: Pick<Store, "leaves">,
  pool: PoolId,
  leafIndex = 0,
): Promise<StoredLeaf[]> {
  const all: StoredLeaf[] = [];
  for await (const { firstIndex: first, commitments, times } of store.leaves(pool, leafIndex)) {
    for (const [i, timestamp] of times.entries()) {
      const commitment = fieldFromBytes(commitments.subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES));
      all.push({ leafIndex: first + i, commitment, timestamp });
    }
  }
  return all;
}
