/**
 * A pool's tree as bytes, with its deposits' times and the pool, sealed: whoever does not know the key can neither make
 * one nor change one. Nodes are kept, not leaves alone: hashing them again is most of a start's time.
 *
 * Layout: MAGIC, length of the header (4 bytes, big-endian), header (JSON), the nodes of each level, leaves first, the times
 * of the leaves (4 bytes each, big-endian), HMAC-SHA256 of all before it (32 bytes).
 */
import { FIELD_BYTES } from "../core/field.ts";
import { assertElements } from "../core/poseidon.ts";
import { allocateNodes, CAPACITY, nodeCounts } from "../core/tree_levels.ts";

const MAGIC = "tonado tree 3\n";
const LENGTH_BYTES = 4;
const TIME_BYTES = 4;
const SEAL_BYTES = 32;
const LARGEST_HEADER = 1_024;

/** Bytes of a snapshot, at most: that of a full tree. */
export const LARGEST_SNAPSHOT = MAGIC.length + LENGTH_BYTES + LARGEST_HEADER + 2 * CAPACITY * FIELD_BYTES +
  CAPACITY * TIME_BYTES + SEAL_BYTES;

/** What a snapshot says of its tree. */
export interface SnapshotHeader {
  /** Raw address. */
  readonly pool: string;
  /** Leaves. */
  readonly size: number;
}

/** A tree and what is said of it. */
export interface Snapshot extends SnapshotHeader {
  /** Of exactly `size` leaves when packed; with room for more when unpacked. */
  readonly levels: readonly Uint8Array[];
  /** Unix seconds of each leaf's block. */
  readonly times: Uint32Array;
}

/** The bytes of a snapshot, sealed with `key`. */
export async function packSnapshot(
  { pool, size, levels, times }: Snapshot,
  key: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const header: SnapshotHeader = { pool, size };
  const head = new TextEncoder().encode(MAGIC + " ".repeat(LENGTH_BYTES) + JSON.stringify(header));
  const body = MAGIC.length + LENGTH_BYTES;
  new DataView(head.buffer).setUint32(MAGIC.length, head.length - body);
  const length = levels.reduce((sum, nodes) => sum + nodes.length, head.length + times.length * TIME_BYTES);
  const bytes = new Uint8Array(length + SEAL_BYTES);
  bytes.set(head);
  let at = head.length;
  for (const nodes of levels) {
    bytes.set(nodes, at);
    at += nodes.length;
  }
  const view = new DataView(bytes.buffer, at);
  for (const [i, time] of times.entries()) view.setUint32(i * TIME_BYTES, time);
  const seal = await crypto.subtle.sign("HMAC", await sealing(key), bytes.subarray(0, length));
  bytes.set(new Uint8Array(seal), length);
  return bytes;
}

/**
 * What bytes hold; undefined when they are damaged, or not sealed with `key`.
 *
 * @throws {Problem} `not_in_field` for nodes that are no elements
 */
export async function unpackSnapshot(
  bytes: Uint8Array<ArrayBuffer>,
  key: Uint8Array,
): Promise<Snapshot | undefined> {
  const start = MAGIC.length + LENGTH_BYTES;
  if (bytes.length < start + SEAL_BYTES) return undefined;
  const [body, seal] = [bytes.subarray(0, -SEAL_BYTES), bytes.subarray(-SEAL_BYTES)];
  if (!await crypto.subtle.verify("HMAC", await sealing(key), seal, body)) return undefined;
  if (new TextDecoder().decode(body.subarray(0, MAGIC.length)) !== MAGIC) return undefined;
  const end = start + new DataView(body.buffer, body.byteOffset).getUint32(MAGIC.length);
  const header = headerOf(body.subarray(start, end));
  if (header === undefined) return undefined;
  const { size } = header;
  const leaves = body.subarray(end);
  const timesAt = leaves.length - size * TIME_BYTES;
  const levels = timesAt < 0 ? undefined : levelsOf(size, leaves.subarray(0, timesAt));
  if (levels === undefined) return undefined;
  const view = new DataView(leaves.buffer, leaves.byteOffset + timesAt);
  const times = Uint32Array.from({ length: size }, (_, i) => view.getUint32(i * TIME_BYTES));
  return { ...header, levels, times };
}

function headerOf(bytes: Uint8Array): SnapshotHeader | undefined {
  try {
    const { pool, size } = JSON.parse(new TextDecoder().decode(bytes)) ?? {};
    const sound = typeof pool === "string" && Number.isInteger(size) && size >= 0 && size <= CAPACITY;
    return sound ? { pool, size } : undefined;
  } catch {
    return undefined; // no JSON
  }
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

async function sealing(key: Uint8Array): Promise<CryptoKey> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  return await crypto.subtle.importKey("raw", key.slice(), hmac, false, ["sign", "verify"]);
}
