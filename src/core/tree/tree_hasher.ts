// The port to worker threads that hash the levels of a Merkle tree and index its leaves.

export const SUBTREE_HEIGHT = 9;

export interface TreeHasher {
  /** Returns the level reached. After a failure, parts may be written: the caller must abandon the memory. */
  hashLevels(levels: readonly Uint8Array[], start: number, end: number): Promise<number>;

  buildIndex(leaves: Uint8Array, count: number): Promise<Uint32Array>;
}
