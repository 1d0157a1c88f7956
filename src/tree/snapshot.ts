/**
 * A pool's tree as bytes, with its deposits' times, the pool, its history's cursor and a hash, so that one that is damaged or of something
 * else is noticed. Nodes are kept, not leaves alone: hashing them again is most of a start's time.
 *
 * Layout: MAGIC, length of the header (4 bytes, big-endian), header (JSON), the nodes of each level, leaves first, the times
 * of the leaves (4 bytes each, big-endian), SHA-256 of all before it.
 */
import { FIELD_BYTES } from "../core/field.ts";
import { assertElements } from "../core/poseidon.ts";
import { allocateNodes, CAPACITY, nodeCounts } from "../core/tree_levels.ts";

const MAGIC = "tonado tree 2\n";
const LENGTH_BYTES = 4;
const TIME_BYTES = 4;
const HASH_BYTES = 32;

/** What a snapshot says of its tree. */
export interface SnapshotHeader {
  /** Raw address. */
  readonly pool: string;
  /** Leaves. */
  readonly size: number;
  /** Where the pool's history was when it was taken. */
  readonly cursor: { readonly lt: bigint; readonly hash: string };
}

/** A tree and what is said of it. */
export interface Snapshot extends SnapshotHeader {
  /** Of exactly `size` leaves when packed; with room for more when unpacked. */
  readonly levels: readonly Uint8Array[];
  /** Unix seconds of each leaf's block. */
  readonly times: Uint32Array;
}

/** The bytes of a snapshot. */
export async function packSnapshot({ pool, size, cursor, levels, times }: Snapshot): Promise<Uint8Array> {
  const header = { pool, size, cursor: { lt: String(cursor.lt), hash: cursor.hash } };
  const head = new TextEncoder().encode(MAGIC + " ".repeat(LENGTH_BYTES) + JSON.stringify(header));
  const body = MAGIC.length + LENGTH_BYTES;
  new DataView(head.buffer).setUint32(MAGIC.length, head.length - body);
  const length = levels.reduce((sum, nodes) => sum + nodes.length, head.length + times.length * TIME_BYTES);
  const bytes = new Uint8Array(length + HASH_BYTES);
  bytes.set(head);
  let at = head.length;
  for (const nodes of levels) {
    bytes.set(nodes, at);
    at += nodes.length;
  }
  const view = new DataView(bytes.buffer, at);
  for (const [i, time] of times.entries()) view.setUint32(i * TIME_BYTES, time);
  bytes.set(await sha256(bytes.subarray(0, length)), length);
  return bytes;
}

/** What bytes hold; undefined when they are damaged. @throws {Problem} `not_in_field` for nodes that are no elements */
export async function unpackSnapshot(bytes: Uint8Array): Promise<Snapshot | undefined> {
  const start = MAGIC.length + LENGTH_BYTES;
  if (bytes.length < start + HASH_BYTES) return undefined;
  const body = bytes.subarray(0, -HASH_BYTES);
  const hash = await sha256(body);
  if (!hash.every((byte, i) => byte === bytes[body.length + i])) return undefined;
  const text = new TextDecoder();
  if (text.decode(body.subarray(0, MAGIC.length)) !== MAGIC) return undefined;
  const end = start + new DataView(body.buffer, body.byteOffset).getUint32(MAGIC.length);
  const { pool, size, cursor } = JSON.parse(text.decode(body.subarray(start, end)));
  if (!Number.isInteger(size) || size < 0 || size > CAPACITY) return undefined;
  const leaves = body.subarray(end);
  const timesAt = leaves.length - size * TIME_BYTES;
  const levels = timesAt < 0 ? undefined : levelsOf(size, leaves.subarray(0, timesAt));
  if (levels === undefined) return undefined;
  const view = new DataView(leaves.buffer, leaves.byteOffset + timesAt);
  const times = Uint32Array.from({ length: size }, (_, i) => view.getUint32(i * TIME_BYTES));
  return { pool, size, cursor: { lt: BigInt(cursor.lt), hash: cursor.hash }, levels, times };
}

function levelsOf(size: number, nodes: Uint8Array): Uint8Array[] | undefined {
  const counts = nodeCounts(size);
  if (nodes.length !== counts.reduce((sum, count) => sum + count) * FIELD_BYTES) return undefined;
  assertElements(nodes);
  let at = 0;
  return counts.map((count, level) => {
    const bytes = allocateNodes(level, count);
    bytes.set(nodes.subarray(at, at += count * FIELD_BYTES));
    return bytes;
  });
}

async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
}
