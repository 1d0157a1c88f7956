/**
 * Rows of a store as lines of JSON, the form in which they leave it: field elements as hex, other wide integers as
 * decimal text, bytes as base64. A line is parsed strictly, so that nothing enters a store that did not come from one.
 */
import { Buffer } from "node:buffer";
import { z } from "zod";
import { fromHex, toHex } from "../core/field.ts";
import { networks } from "../core/network.ts";
import type { ArchiveRow } from "../store/archive.ts";

const pool = z.string().regex(/^-?[0-9]{1,10}:[0-9a-f]{64}$/);
const element = z.codec(z.string().regex(/^0x[0-9a-f]{64}$/), z.bigint(), {
  decode: (text) => fromHex(text),
  encode: (value) => toHex(value),
});
const wide = z.codec(z.string().regex(/^(0|[1-9][0-9]{0,77})$/), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: String,
});
const bytes = z.codec(z.base64(), z.instanceof(Uint8Array), {
  decode: (text) => new Uint8Array(Buffer.from(text, "base64")),
  encode: (value) => Buffer.from(value).toString("base64"),
});
const count = z.int().nonnegative();

const identity = z.strictObject({ network: z.enum(networks), wallet: pool });
const cursor = z.strictObject({ lt: wide, hash: z.string() });
const deposit = z.strictObject({
  leafIndex: count,
  commitment: element,
  timestamp: count,
  txHash: z.string(),
});
const withdrawal = z.strictObject({
  nullifierHash: element,
  fee: wide,
  refund: wide,
  timestamp: count,
  txHash: z.string(),
});
const job = z.strictObject({
  pool,
  nullifierHash: element,
  state: z.enum(["accepted", "broadcast", "confirmed", "failed", "expired"]),
  queryId: wide,
  root: element,
  fee: wide,
  refund: wide,
  message: z.strictObject({ recipient: z.string(), proof: z.string() }).optional(),
  failures: count,
  acceptedAt: count,
  notBefore: count.optional(),
  attempts: count.optional(),
  broadcastAt: count.optional(),
  settledAt: count.optional(),
  seqno: count.optional(),
  messageHash: z.string().optional(),
  txHash: z.string().optional(),
  reason: z.string().optional(),
});
const transfer = z.strictObject({
  seqno: count,
  validUntil: count,
  hash: z.string(),
  boc: bytes,
  jobs: z.array(z.strictObject({ pool, nullifierHash: element, queryId: wide })),
  signedAt: count,
});

const row = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("identity"), identity }),
  z.strictObject({ kind: z.literal("cursor"), pool, cursor }),
  z.strictObject({ kind: z.literal("job"), job }),
  z.strictObject({ kind: z.literal("transfer"), transfer }),
  z.strictObject({ kind: z.literal("deposit"), pool, deposit }),
  z.strictObject({ kind: z.literal("withdrawal"), pool, withdrawal }),
]);

/** A row as one line, without its end. */
export function lineOfRow(value: ArchiveRow): string {
  return JSON.stringify(z.encode(row, value as z.output<typeof row>));
}

/** The row of a line; undefined when it is none. */
export function rowOfLine(line: string): ArchiveRow | undefined {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return undefined;
  }
  const parsed = row.safeDecode(json as z.input<typeof row>);
  return parsed.success ? parsed.data : undefined;
}
