/** The minimum number of levels above the leaves that a hasher computes. */
export const MIN_HASHED_HEIGHT = 9;

/** Computes a tree's larger work on this thread or on workers. Implementations are in `src/tree/`. */
export interface TreeHasher {
  /**
   * Does the work of `hashNewNodes` and returns the level it reached, at least {@linkcode MIN_HASHED_HEIGHT}.
   * After a failure, parts may still be written, so the caller must abandon the memory.
   */
  hashLevels(levels: readonly Uint8Array[], start: number, end: number): Promise<number>;

  /** Returns the slots of a `LeafIndex` over the first `count` leaves. */
  buildIndex(leaves: Uint8Array, count: number): Promise<Uint32Array>;
}
