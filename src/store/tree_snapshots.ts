/** The port to where a pool's tree is kept between two runs. What is kept can be lost: it only makes a start fast. */
import type { PoolId } from "./store.ts";

/** Implementations: files of the data directory. */
export interface TreeSnapshots {
  /** Seals what is saved, 32 bytes: what lies at the place without that is not believed. */
  readonly key: Uint8Array;

  /** What was last saved for `pool`; undefined when there is nothing. */
  load(pool: PoolId): Promise<Uint8Array<ArrayBuffer> | undefined>;

  /** Replaces it, whole or not at all. */
  save(pool: PoolId, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}
