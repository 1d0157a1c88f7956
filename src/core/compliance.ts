/**
 * The compliance report: a note's owner shows which deposit a withdrawal belongs to, and the note stays secret. The proof
 * is one of the withdrawal circuit over a tree whose only leaf is the deposit: whoever made it knows the nullifier and the
 * secret behind both. Where a withdrawal binds its recipient, it binds the whole statement.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { Address } from "@ton/core";
import { z } from "zod";
import { Problem } from "./errors.ts";
import { bytesToBigint, isFieldElement } from "./field.ts";
import type { Groth16Proof } from "./groth16.ts";
import { MerkleTree } from "./merkle_tree.ts";
import { networks } from "./network.ts";
import { proofSchema } from "./proof_schema.ts";
import { DoubledMember, parseUnique } from "./unique_json.ts";

/** Characters of a purpose at most. */
const LONGEST_PURPOSE = 500;
/** Controls, formats but the two joiners that scripts need, separators of lines: what could show another text than is bound. */
const NOT_IN_A_PURPOSE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;

/** What is wrong with a purpose; undefined: nothing. */
export function purposeFault(purpose: string): string | undefined {
  if (purpose.length === 0 || purpose.length > LONGEST_PURPOSE) {
    return `a purpose has 1 to ${LONGEST_PURPOSE} characters`;
  }
  const at = purpose.search(NOT_IN_A_PURPOSE);
  if (at < 0) return undefined;
  const code = purpose.codePointAt(at)!.toString(16).toUpperCase().padStart(4, "0");
  return `a purpose is one line of visible text: character ${at + 1} of it is U+${code}`;
}

const address = z.string().refine((text) => {
  try {
    return Boolean(Address.parse(text));
  } catch {
    return false;
  }
}, "is not an address");
const amount = z.string().regex(/^(0|[1-9][0-9]{0,38})$/, "is not a decimal integer string");
const ELEMENT = /^0x[0-9a-f]{64}$/;
const element = z.string().refine(
  (text) => ELEMENT.test(text) && isFieldElement(BigInt(text)),
  "is not 0x and 64 lowercase hex digits below r",
);
const seconds = z.int().nonnegative();
const tx = z.strictObject({
  lt: amount,
  hash: z.string().regex(/^[0-9a-f]{64}$/, "is not 64 lowercase hex digits"),
});
const statement = z.strictObject({
  network: z.enum(networks),
  pool: z.strictObject({
    address,
    asset: z.string().regex(/^[a-z0-9]{1,80}$/),
    /** In whole units. */
    amount: z.string().max(80),
    /** Places of a whole unit. */
    decimals: z.int().min(0).max(30),
    /** In the asset's smallest unit, as all amounts below. */
    denomination: amount,
  }),
  /** For whom and what for, in its maker's words. */
  purpose: z.string().superRefine((text, context) => {
    const message = purposeFault(text);
    if (message) context.addIssue({ code: "custom", message });
  }),
  /** Unix seconds, by its maker's clock. */
  madeAt: seconds,
  commitment: element,
  nullifierHash: element,
  deposit: z.strictObject({ leafIndex: seconds, timestamp: seconds, depositor: address, tx }),
  withdrawal: z.strictObject({
    timestamp: seconds,
    recipient: address,
    /** Who sent it for a fee; null: nobody. */
    relayer: address.nullable(),
    fee: amount,
    /** Nano native. */
    refund: amount,
    /** The denomination without the fee. */
    paid: amount,
    tx,
  }),
  /** SHA-256 in hex of the withdrawal's verification key that the proof is for. */
  vkeyHash: z.string().regex(/^[0-9a-f]{64}$/, "is not 64 lowercase hex digits"),
});
const report = z.strictObject({
  format: z.literal("tonado-compliance"),
  version: z.literal(1),
  statement,
  proof: proofSchema,
});

/** What is said. Every member is public but the link between the two halves, and the purpose. */
export type ComplianceStatement = z.output<typeof statement>;
/** What is said, and the proof that its maker knows the note. */
export type ComplianceReport = Omit<z.output<typeof report>, "proof"> & { readonly proof: Groth16Proof };

/** Above every address's field element, which has 254 bits: no pool pays out on such a proof. */
const NO_ADDRESS = 1n << 254n;

/**
 * The public signals of the report's proof: the root of a tree that holds the commitment alone, the nullifier hash, and
 * the statement's hash in place of a recipient.
 */
export function complianceSignals(said: ComplianceStatement): string[] {
  const root = new MerkleTree().rootAfter(BigInt(said.commitment));
  const bound = NO_ADDRESS + (bytesToBigint(sha256(utf8ToBytes(canonical(said)))) >> 3n);
  return [root, BigInt(said.nullifierHash), bound, 0n, 0n, 0n].map(String);
}

/**
 * Reads a report.
 *
 * @param document its JSON as text, of which two members of one name are refused; or what was parsed of it, which does not
 *   show that any more
 * @throws {Problem} `invalid_report`, every fault listed by its JSON pointer
 */
export function parseReport(document: unknown): ComplianceReport {
  const parsed = report.safeParse(typeof document === "string" ? parseText(document) : document);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({
    pointer: `/${path.join("/")}`,
    detail: message,
  }));
  throw new Problem("invalid_report", undefined, { errors });
}

function parseText(text: string): unknown {
  try {
    return parseUnique(text);
  } catch (cause) {
    const detail = cause instanceof DoubledMember
      ? cause.message
      : "it is neither a report's JSON nor its page";
    throw new Problem("invalid_report", detail, { cause });
  }
}

/** JSON without room between and with sorted members: of strings, integers and null the form of RFC 8785. */
function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_, member) =>
      typeof member === "object" && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => a < b ? -1 : 1))
        : member,
  );
}
