/** The proof uses the withdrawal circuit on a tree of one leaf. `recipient` is the statement's hash. */
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import * as z from "zod";
import { Problem } from "../errors/problem.ts";
import { bytesToBigint } from "../crypto/field.ts";
import type { Groth16Proof } from "../crypto/groth16.ts";
import { poseidon } from "../crypto/poseidon.ts";
import { MERKLE_TREE_HEIGHT, type MerklePath } from "../tree/merkle_tree.ts";
import { zeros } from "../tree/zeros.ts";
import { networks } from "./network.ts";
import {
  addressTextSchema,
  amountTextSchema,
  countSchema,
  fieldElementTextSchema,
  hashTextSchema,
} from "./api/scalars.ts";
import { proofSchema } from "../crypto/proof_schema.ts";
import { canonicalJson } from "../text/canonical_json.ts";
import { DuplicateKeyError, parseStrictJson } from "../text/strict_json.ts";

const MAX_PURPOSE_LENGTH = 500;
/** Controls, separators and format characters could make the shown text differ from the bound text. */
const FORBIDDEN_PURPOSE_CHARACTER = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;

export function purposeError(purpose: string): string | undefined {
  if (purpose.length === 0 || purpose.length > MAX_PURPOSE_LENGTH) {
    return `a purpose has 1 to ${MAX_PURPOSE_LENGTH} characters`;
  }
  const at = purpose.search(FORBIDDEN_PURPOSE_CHARACTER);
  if (at < 0) return undefined;
  const code = purpose.codePointAt(at)!.toString(16).toUpperCase().padStart(4, "0");
  return `a purpose is one line of visible text: character ${at + 1} of it is U+${code}`;
}

const transactionSchema = z.strictObject({
  lt: amountTextSchema,
  hash: hashTextSchema,
});
const statementSchema = z.strictObject({
  network: z.enum(networks),
  pool: z.strictObject({
    address: addressTextSchema,
    version: z.literal(2).optional(), // absent: version 1
    asset: z.string().regex(/^[a-z0-9]{1,80}$/),
    amount: z.string().max(80), // whole units
    decimals: z.int().min(0).max(30),
    /** In the asset's smallest unit, like all amounts below. */
    denomination: amountTextSchema,
  }),
  purpose: z.string().superRefine((text, context) => {
    const message = purposeError(text);
    if (message) context.addIssue({ code: "custom", message });
  }),
  madeAt: countSchema, // Unix seconds, by the author's clock
  commitment: fieldElementTextSchema,
  nullifierHash: fieldElementTextSchema,
  deposit: z.strictObject({
    leafIndex: countSchema,
    timestamp: countSchema,
    depositor: addressTextSchema,
    tx: transactionSchema,
  }),
  withdrawal: z.strictObject({
    timestamp: countSchema,
    recipient: addressTextSchema,
    relayer: addressTextSchema.nullable(),
    fee: amountTextSchema,
    refund: amountTextSchema, // nano of the native coin
    paid: amountTextSchema,
    tx: transactionSchema,
  }),
  vkeyHash: hashTextSchema,
});
const reportSchema = z.strictObject({
  format: z.literal("tonado-compliance"),
  version: z.literal(1),
  statement: statementSchema,
  proof: proofSchema,
});

/** What a report states. Only the purpose and the link from deposit to withdrawal are not public. */
export type ComplianceStatement = z.output<typeof statementSchema>;
/** A statement, and the proof that its author knows the note. */
export type ComplianceReport = Omit<z.output<typeof reportSchema>, "proof"> & {
  readonly proof: Groth16Proof;
};

/** Larger than any address's field element (254 bits), so that no pool accepts the proof as a withdrawal. */
const NON_ADDRESS_OFFSET = 1n << 254n;

/** Returns the path of the proof: of a tree with this leaf alone, which is the first one in version 1. */
export function complianceTreePath({ pool, deposit }: ComplianceStatement): MerklePath {
  const leafIndex = pool.version === 2 ? deposit.leafIndex : 0;
  return {
    pathElements: zeros.slice(0, MERKLE_TREE_HEIGHT),
    pathIndices: Array.from({ length: MERKLE_TREE_HEIGHT }, (_, level) => (leafIndex >> level) & 1),
  };
}

export function compliancePublicSignals(said: ComplianceStatement): string[] {
  const { pathElements, pathIndices } = complianceTreePath(said);
  const root = pathElements.reduce(
    (node, sibling, level) => poseidon(pathIndices[level] === 0 ? [node, sibling] : [sibling, node]),
    BigInt(said.commitment),
  );
  const bound = NON_ADDRESS_OFFSET + (bytesToBigint(sha256(utf8ToBytes(canonicalJson(said)))) >> 3n);
  return [root, BigInt(said.nullifierHash), bound, 0n, 0n, 0n].map(String);
}

/**
 * Parses a report.
 * @param document its JSON text, in which duplicate keys are rejected, or a parsed value
 * @throws {Problem} `invalid_report`, with one entry of `errors` for each fault
 * @example
 * ```ts
 * const report = parseComplianceReport(await Deno.readTextFile("report.json"));
 * ```
 */
export function parseComplianceReport(document: unknown): ComplianceReport {
  const parsed = reportSchema.safeParse(typeof document === "string" ? parseReportJson(document) : document);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({
    pointer: `/${path.join("/")}`,
    detail: message,
  }));
  throw new Problem("invalid_report", undefined, { errors });
}

function parseReportJson(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch (cause) {
    const detail = cause instanceof DuplicateKeyError
      ? cause.message
      : "it is neither a report's JSON nor its page";
    throw new Problem("invalid_report", detail, { cause });
  }
}
