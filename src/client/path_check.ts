/** A Merkle path that somebody else made: believed only as far as hashes and the pool's own roots bear it out. */
import { Problem } from "../core/errors.ts";
import type { MerklePath } from "../core/merkle_tree.ts";
import { poseidon } from "../core/poseidon.ts";
import type { Pool } from "../ton/pool.ts";

/** A path and the root that it is said to lead to. */
export interface ForeignPath extends MerklePath {
  readonly root: bigint;
}

/**
 * Returns `path` when it leads from `commitment` to a root that the pool knows.
 *
 * @throws {Problem} `relayer_unavailable` when it does not: whoever made it lies, or lags behind
 */
export async function checkedPath(pool: Pool, commitment: bigint, path: ForeignPath): Promise<ForeignPath> {
  let node = commitment;
  for (const [level, sibling] of path.pathElements.entries()) {
    node = poseidon(path.pathIndices[level] === 0 ? [node, sibling] : [sibling, node]);
  }
  if (node !== path.root) {
    throw new Problem(
      "relayer_unavailable",
      "its path does not lead from the deposit to the root that it tells",
    );
  }
  if (!(await pool.getRootHistory()).includes(path.root)) {
    throw new Problem("relayer_unavailable", "its root is not among the pool's last 30");
  }
  return path;
}
