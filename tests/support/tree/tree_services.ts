/** Trees and workers that tests compare. */
import { Problem, type ProblemCode } from "../../../src/core/errors/problem.ts";
import { FIELD_BYTES, writeFieldBytes } from "../../../src/core/crypto/field.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { type TreeWorkerOptions, TreeWorkers } from "../../../src/tree/tree_workers.ts";

export const leaf = (i: number) => BigInt(i + 1) ** 9n;

export const refuses = (code: ProblemCode) => (error: unknown) =>
  error instanceof Problem && error.code === code;

export function bytesOf(from: number, to: number): Uint8Array {
  const bytes = new Uint8Array((to - from) * FIELD_BYTES);
  for (let i = from; i < to; i++) writeFieldBytes(leaf(i), bytes, (i - from) * FIELD_BYTES);
  return bytes;
}

export function plainTree(size: number): MerkleTree {
  const tree = new MerkleTree();
  tree.appendMany(Array.from({ length: size }, (_, i) => leaf(i)));
  return tree;
}

export async function withWorkers(
  options: TreeWorkerOptions,
  act: (workers: TreeWorkers) => Promise<void>,
): Promise<void> {
  const workers = new TreeWorkers(options);
  try {
    await act(workers);
  } finally {
    workers.close();
  }
}
