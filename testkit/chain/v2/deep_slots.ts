/** Spent sets with the longest paths that an attacker can build. */
import { SpentSet } from "../../../src/core/protocol/v2/spent_set.ts";

const TAG_BITS = 96;
const FULL_TAGS = 5;

/**
 * Returns a set in which the first `nodes` nodes on the key's path are full, if they can be: 94 at most. The set does not
 * contain the key itself.
 */
export function fillPath(key: bigint, nodes = TAG_BITS, set = new SpentSet()): SpentSet {
  const slot = key & 0xfffn;
  const tag = (key >> 12n) & ((1n << BigInt(TAG_BITS)) - 1n);
  // A node at depth d needs five other tags that agree with the key's in d bits. Tags that differ from it in
  // the next bit are first, because no deeper node can use them.
  for (let depth = 0; depth < nodes && 2 ** (TAG_BITS - depth) - 1 >= FULL_TAGS; depth++) {
    const differences = depth === TAG_BITS - 3 ? [1n, 3n, 5n, 7n, 2n] : [1n, 3n, 5n, 7n, 9n];
    for (const difference of differences) {
      const other = tag ^ (difference << BigInt(depth));
      if (!set.add((other << 12n) | slot)) throw new Error("a tag was used twice");
    }
  }
  return set;
}
