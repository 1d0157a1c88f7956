/** The port to tree snapshots, which only speed up a start. */
import type { PoolId } from "./store.ts";

export interface TreeSnapshotStore {
  /** 32 bytes. Snapshots are authenticated with it. */
  readonly sealKey: Uint8Array;

  load(pool: PoolId): Promise<Uint8Array<ArrayBuffer> | undefined>;

  /** Replaces the snapshot atomically. */
  save(pool: PoolId, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}
