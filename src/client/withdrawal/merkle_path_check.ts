import { Problem } from "../../core/errors/problem.ts";
import type { MerklePath } from "../../core/tree/merkle_tree.ts";
import { poseidon } from "../../core/crypto/poseidon.ts";
import type { AnyPool } from "../../ton/pool/any_pool.ts";

export interface MerklePathWithRoot extends MerklePath {
  readonly root: bigint;
}

/** Throws `relayer_unavailable` unless `path` leads from `commitment` to one of the pool's roots. */
export async function verifyMerklePath(
  pool: AnyPool,
  commitment: bigint,
  path: MerklePathWithRoot,
): Promise<MerklePathWithRoot> {
  let node = commitment;
  for (const [level, sibling] of path.pathElements.entries()) {
    node = poseidon(path.pathIndices[level] === 0 ? [node, sibling] : [sibling, node]);
  }
  if (node !== path.root) {
    throw new Problem(
      "relayer_unavailable",
      "its path does not lead from the deposit to the root that it reports",
    );
  }
  if (!(await pool.getRootHistory()).includes(path.root)) {
    throw new Problem("relayer_unavailable", "its root is not among the pool's last 30");
  }
  return path;
}
