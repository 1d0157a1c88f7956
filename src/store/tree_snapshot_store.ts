/** The port to stored tree snapshots. They may be lost: they only speed up a start. */
import type { PoolId } from "./store.ts";

/** Implementations: files of the data directory. */
export interface TreeSnapshotStore {
  /** Key that seals snapshots, 32 bytes; unsealed data is not trusted. */
  readonly sealKey: Uint8Array;

  /** Returns the last saved snapshot of `pool`; undefined if there is none. */
  load(pool: PoolId): Promise<Uint8Array<ArrayBuffer> | undefined>;

  /** Replaces the snapshot atomically. */
  save(pool: PoolId, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}
