/**
 * A pool's tree as bytes, with the pool, the cursor and a hash, so that one that is damaged or of something else is
 * noticed. Nodes are kept, not leaves alone: hashing them again is most of a start's time. Nothing is believed for
 * being in a file: the tree must still end in a stored row, and have a root that the chain accepts.
 *
 * Layout: MAGIC, length of the header (4 bytes, big-endian), header (JSON), nodes, SHA-256 of all before it.
 */
import type { Cursor, PoolId, Store } from "../store/store.ts";
import type { TreeSnapshots } from "../store/tree_snapshots.ts";
import type { Log } from "../telemetry/log.ts";
import type { PoolTree } from "./pool_tree.ts";

const MAGIC = "tonado tree 1\n";
const HASH_BYTES = 32;
/** A tree that is smaller loads as fast without. */
const SMALLEST = 1_024;
/** A tree is saved again when it has grown by this part of its size. */
const GROWTH = 16;

interface Header {
  readonly pool: PoolId;
  readonly size: number;
  /** Where the pool's history was when it was taken. */
  readonly cursor: { readonly lt: string; readonly hash: string };
}

/** What loading and saving need. */
export interface SnapshotDeps {
  readonly snapshots?: TreeSnapshots;
  readonly store: Pick<Store, "cursor" | "deposits">;
  readonly log: Log;
}

/** The bytes of a tree. Copies at once: the tree may grow while they are written. */
export async function snapshotOf(pool: PoolId, tree: PoolTree, cursor: Cursor): Promise<Uint8Array> {
  const header: Header = { pool, size: tree.size, cursor: { lt: String(cursor.lt), hash: cursor.hash } };
  const nodes = tree.nodes();
  const head = new TextEncoder().encode(MAGIC + "    " + JSON.stringify(header));
  new DataView(head.buffer).setUint32(MAGIC.length, head.length - MAGIC.length - 4);
  const bytes = new Uint8Array(head.length + nodes.length + HASH_BYTES);
  bytes.set(head);
  bytes.set(nodes, head.length);
  bytes.set(await sha256(bytes.subarray(0, -HASH_BYTES)), bytes.length - HASH_BYTES);
  return bytes;
}

/** What bytes hold; undefined when they are damaged, or of another pool. */
export async function readSnapshot(
  pool: PoolId,
  bytes: Uint8Array,
): Promise<{ size: number; cursor: Cursor; nodes: Uint8Array } | undefined> {
  const start = MAGIC.length + 4;
  if (bytes.length < start + HASH_BYTES) return undefined;
  const body = bytes.subarray(0, -HASH_BYTES);
  const hash = await sha256(body);
  if (!hash.every((byte, i) => byte === bytes[body.length + i])) return undefined;
  const text = new TextDecoder();
  if (text.decode(body.subarray(0, MAGIC.length)) !== MAGIC) return undefined;
  const end = start + new DataView(body.buffer, body.byteOffset).getUint32(MAGIC.length);
  const header: Header = JSON.parse(text.decode(body.subarray(start, end)));
  if (header.pool !== pool) return undefined;
  const cursor = { lt: BigInt(header.cursor.lt), hash: header.cursor.hash };
  return { size: header.size, cursor, nodes: body.subarray(end) };
}

/** Fills an empty tree from its snapshot, if there is one that fits what is stored; whether it did. */
export async function restoreTree(
  pool: PoolId,
  tree: PoolTree,
  { snapshots, store, log }: SnapshotDeps,
): Promise<boolean> {
  try {
    const bytes = await snapshots?.load(pool);
    if (bytes === undefined) return false;
    const found = await readSnapshot(pool, bytes);
    const now = await store.cursor(pool);
    if (found && now && found.cursor.lt <= now.lt) {
      tree.restore(found.size, found.nodes);
      for await (const { commitment } of store.deposits(pool, found.size - 1)) {
        if (commitment === tree.leaf(found.size - 1)) return true;
        break;
      }
    }
    log.warning("the snapshot of the tree is damaged or of something else: it is built from the rows");
  } catch (error) {
    log.warning("the snapshot of the tree cannot be used: {error}", { error: String(error) });
  }
  tree.clear();
  return false;
}

/** Saves a tree that has grown enough since `saved` leaves, or at all when `always`; returns how many are saved. */
export async function saveTree(
  pool: PoolId,
  tree: PoolTree,
  saved: number,
  { snapshots, store, log }: SnapshotDeps,
  always = false,
): Promise<number> {
  const due = always
    ? tree.size > saved
    : tree.size - saved >= Math.max(SMALLEST, Math.floor(tree.size / GROWTH));
  if (snapshots === undefined || !due || tree.size < SMALLEST) return saved;
  const { size } = tree;
  try {
    const cursor = await store.cursor(pool);
    if (cursor === undefined) return saved;
    await snapshots.save(pool, await snapshotOf(pool, tree, cursor));
    return size;
  } catch (error) {
    log.warning("the snapshot of the tree was not written: {error}", { error: String(error) });
    return size; // not again at once
  }
}

async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
}
