/** The port to where a pool's tree is kept between two runs. What is kept can be lost: it only makes a start fast. */
import type { PoolId } from "./store.ts";

/** Implementations: files of the data directory. */
export interface TreeSnapshots {
  /** What was last saved for `pool`; undefined when there is nothing. */
  load(pool: PoolId): Promise<Uint8Array | undefined>;

  /** Replaces it, whole or not at all. */
  save(pool: PoolId, bytes: Uint8Array): Promise<void>;
}
