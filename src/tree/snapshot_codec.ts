/** MAGIC, header length (4 bytes, big-endian), header (JSON), nodes by level, times, HMAC-SHA256. */
import { FIELD_BYTES } from "../core/crypto/field.ts";
import { assertCanonicalElements } from "../core/crypto/poseidon.ts";
import { allocateNodes, nodeCounts, TREE_CAPACITY } from "../core/tree/tree_levels.ts";

const MAGIC = "tonado tree 3\n";
const LENGTH_BYTES = 4;
const TIME_BYTES = 4;
const HMAC_BYTES = 32;
const MAX_HEADER_BYTES = 1_024;

export const MAX_SNAPSHOT_BYTES = MAGIC.length + LENGTH_BYTES + MAX_HEADER_BYTES +
  2 * TREE_CAPACITY * FIELD_BYTES +
  TREE_CAPACITY * TIME_BYTES + HMAC_BYTES;

interface SnapshotHeader {
  readonly pool: string;
  readonly size: number;
}

export interface TreeSnapshot extends SnapshotHeader {
  /** Exactly `size` leaves when encoded; with spare room when decoded. */
  readonly levels: readonly Uint8Array[];
  readonly timestamps: Uint32Array; // Unix seconds of each leaf's block
}

export async function encodeSnapshot(
  { pool, size, levels, timestamps }: TreeSnapshot,
  key: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const header: SnapshotHeader = { pool, size };
  const head = new TextEncoder().encode(MAGIC + " ".repeat(LENGTH_BYTES) + JSON.stringify(header));
  const body = MAGIC.length + LENGTH_BYTES;
  new DataView(head.buffer).setUint32(MAGIC.length, head.length - body);
  const length = levels.reduce(
    (sum, nodes) => sum + nodes.length,
    head.length + timestamps.length * TIME_BYTES,
  );
  const bytes = new Uint8Array(length + HMAC_BYTES);
  bytes.set(head);
  let at = head.length;
  for (const nodes of levels) {
    bytes.set(nodes, at);
    at += nodes.length;
  }
  const view = new DataView(bytes.buffer, at);
  for (const [i, time] of timestamps.entries()) view.setUint32(i * TIME_BYTES, time);
  const hmac = await crypto.subtle.sign("HMAC", await importHmacKey(key), bytes.subarray(0, length));
  bytes.set(new Uint8Array(hmac), length);
  return bytes;
}

/** Returns undefined if the bytes are damaged or not authenticated with `key`. Throws `not_in_field`. */
export async function decodeSnapshot(
  bytes: Uint8Array<ArrayBuffer>,
  key: Uint8Array,
): Promise<TreeSnapshot | undefined> {
  const start = MAGIC.length + LENGTH_BYTES;
  if (bytes.length < start + HMAC_BYTES) return undefined;
  const [body, hmac] = [bytes.subarray(0, -HMAC_BYTES), bytes.subarray(-HMAC_BYTES)];
  if (!await crypto.subtle.verify("HMAC", await importHmacKey(key), hmac, body)) return undefined;
  if (new TextDecoder().decode(body.subarray(0, MAGIC.length)) !== MAGIC) return undefined;
  const end = start + new DataView(body.buffer, body.byteOffset).getUint32(MAGIC.length);
  const header = parseHeader(body.subarray(start, end));
  if (header === undefined) return undefined;
  const { size } = header;
  const leaves = body.subarray(end);
  const timesAt = leaves.length - size * TIME_BYTES;
  const levels = timesAt < 0 ? undefined : parseLevels(size, leaves.subarray(0, timesAt));
  if (levels === undefined) return undefined;
  const view = new DataView(leaves.buffer, leaves.byteOffset + timesAt);
  const timestamps = Uint32Array.from({ length: size }, (_, i) => view.getUint32(i * TIME_BYTES));
  return { ...header, levels, timestamps };
}

function parseHeader(bytes: Uint8Array): SnapshotHeader | undefined {
  try {
    const { pool, size } = JSON.parse(new TextDecoder().decode(bytes)) ?? {};
    const isValid = typeof pool === "string" && Number.isInteger(size) && size >= 0 && size <= TREE_CAPACITY;
    return isValid ? { pool, size } : undefined;
  } catch {
    return undefined; // not JSON
  }
}

function parseLevels(size: number, nodes: Uint8Array): Uint8Array[] | undefined {
  const counts = nodeCounts(size);
  if (nodes.length !== counts.reduce((sum, count) => sum + count) * FIELD_BYTES) return undefined;
  assertCanonicalElements(nodes);
  let at = 0;
  return counts.map((count, level) => {
    const bytes = allocateNodes(level, count);
    bytes.set(nodes.subarray(at, at += count * FIELD_BYTES));
    return bytes;
  });
}

async function importHmacKey(key: Uint8Array): Promise<CryptoKey> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  return await crypto.subtle.importKey("raw", key.slice(), hmac, false, ["sign", "verify"]);
}
