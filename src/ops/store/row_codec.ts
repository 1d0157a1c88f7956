/** Field elements are hex, other wide integers decimal text, bytes base64. Only valid rows are parsed. */
import { Buffer } from "node:buffer";
import * as z from "zod";
import { fieldFromHex, fieldToHex } from "../../core/crypto/field.ts";
import { networks } from "../../core/protocol/network.ts";
import { withdrawalStates } from "../../core/protocol/api/relayer_api.ts";
import type { ArchiveRow } from "../../store/archive.ts";

const pool = z.string().regex(/^-?[0-9]{1,10}:[0-9a-f]{64}$/);
const fieldElement = z.codec(z.string().regex(/^0x[0-9a-f]{64}$/), z.bigint(), {
  decode: (text) => fieldFromHex(text),
  encode: (value) => fieldToHex(value),
});
const wideInteger = z.codec(z.string().regex(/^(0|[1-9][0-9]{0,77})$/), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: String,
});
const bytes = z.codec(z.base64(), z.instanceof(Uint8Array), {
  decode: (text) => new Uint8Array(Buffer.from(text, "base64")),
  encode: (value) => Buffer.from(value).toString("base64"),
});
const count = z.int().nonnegative();

const identity = z.strictObject({ network: z.enum(networks), wallet: pool });
const cursor = z.strictObject({ lt: wideInteger, hash: z.string() });
const deposit = z.strictObject({
  leafIndex: count,
  commitment: fieldElement,
  timestamp: count,
  txHash: z.string(),
});
const withdrawal = z.strictObject({
  nullifierHash: fieldElement,
  fee: wideInteger,
  refund: wideInteger,
  timestamp: count,
  txHash: z.string(),
});
const job = z.strictObject({
  pool,
  nullifierHash: fieldElement,
  state: z.enum(withdrawalStates),
  queryId: wideInteger,
  root: fieldElement,
  fee: wideInteger,
  refund: wideInteger,
  message: z.strictObject({ recipient: z.string(), proof: z.string() }).optional(),
  failures: count,
  acceptedAt: count,
  notBefore: count.optional(),
  attempts: count.optional(),
  broadcastAt: count.optional(),
  endedAt: count.optional(),
  seqno: count.optional(),
  messageHash: z.string().optional(),
  txHash: z.string().optional(),
  reason: z.string().optional(),
  capToken: z.string().optional(),
});
const transfer = z.strictObject({
  seqno: count,
  validUntil: count,
  hash: z.string(),
  boc: bytes,
  jobs: z.array(z.strictObject({ pool, nullifierHash: fieldElement, queryId: wideInteger })),
  signedAt: count,
});

const entry = z.strictObject({
  pool,
  kind: z.enum(["withdrawal", "settlement", "refused", "transfer", "top_up"]),
  txHash: z.string(),
  lt: wideInteger,
  timestamp: count,
  fee: wideInteger,
  gas: z.codec(z.string().regex(/^(0|-?[1-9][0-9]{0,77})$/), z.bigint(), {
    decode: (text) => BigInt(text),
    encode: String,
  }),
  refund: wideInteger,
});

const logEntry = z.strictObject({
  position: count,
  kind: z.enum(["settlement", "payment"]),
  value: fieldElement,
  settled: count,
  txHash: z.string(),
});

const row = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("identity"), identity }),
  z.strictObject({ kind: z.literal("cursor"), pool, cursor }),
  z.strictObject({ kind: z.literal("job"), job }),
  z.strictObject({ kind: z.literal("transfer"), transfer }),
  z.strictObject({ kind: z.literal("ledger"), entry }),
  z.strictObject({ kind: z.literal("deposit"), pool, deposit }),
  z.strictObject({ kind: z.literal("withdrawal"), pool, withdrawal }),
  z.strictObject({ kind: z.literal("log"), pool, entry: logEntry }),
]);

export function encodeRow(value: ArchiveRow): string {
  return JSON.stringify(z.encode(row, value as z.output<typeof row>));
}

export function decodeRow(line: string): ArchiveRow | undefined {
  const parsed = row.safeDecode(tryParseJson(line) as z.input<typeof row>);
  return parsed.success ? parsed.data : undefined;
}

export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
