/** The port to who does a tree's larger work: this thread, or others beside it. */

/** Levels above the leaves that all work is done on. */
export const LEAST_HEIGHT = 9;

/** Implementations: `src/tree/`. They change nothing but what is said here, and keep nothing. */
export interface TreeWork {
  /**
   * Hashes what `hashNewNodes` of `core/tree_levels.ts` does. Where it fails, parts of it may still be written later:
   * the memory is to be given up then.
   *
   * @returns up to what height, from the leaves: {@linkcode LEAST_HEIGHT} at least
   */
  hash(levels: readonly Uint8Array[], start: number, end: number): Promise<number>;

  /** The slots of a `LeafIndex` over the first `count` leaves. */
  index(leaves: Uint8Array, count: number): Promise<Uint32Array>;
}
