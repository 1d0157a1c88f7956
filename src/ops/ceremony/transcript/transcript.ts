/** Published after every entry: an earlier copy shows that nothing was replaced. */
import { canonicalJson } from "../../../core/text/canonical_json.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import * as z from "zod";
import { circuitsOfVersion, circuitsVersion, type PerCircuit } from "../../../core/crypto/groth16.ts";
import { DuplicateKeyError, parseStrictJson } from "../../../core/text/strict_json.ts";
import { type PowersOfTau } from "../powers_of_tau.ts";
import { ceremonyProblem } from "../section_file.ts";
import { MAX_CONSTRAINTS } from "../size_limits.ts";
import type { Zkey } from "../zkey.ts";

const SUBJECT = "transcript";
export const CONTRIBUTOR_NAME = /^[\p{L}\p{N}][\p{L}\p{N} .,:@/()_-]{0,62}$/u;
/** Iterations are 2^exponent; 2^30 take about half an hour. */
export const beaconExponents = { min: 10, max: 30 } as const;

const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`));
function perCircuit<T>(version: 1 | 2, type: z.ZodType<T>): z.ZodType<PerCircuit<T>> {
  return z.strictObject(Object.fromEntries(circuitsOfVersion[version].map((name) => [name, type])));
}

const keyEntry = z.strictObject({
  delta: z.strictObject({ g1: hex(96), g2: hex(192) }),
  /** s, x s, and x times the challenge's point. */
  proof: z.strictObject({ s: hex(96), sx: hex(96), answer: hex(192) }),
  challenge: hex(64),
  /** BLAKE2b of the points and the challenge, as snarkjs prints it. */
  contributionHash: hex(64),
  zkey: hex(32), // SHA-256 of the key's file
});

const chained = {
  previous: hex(32), // `hash` of the preceding entry, or the head's hash
  hash: hex(32), // SHA-256 of this entry without this member
};

const announcement = z.strictObject({
  kind: z.literal("announcement"),
  source: z.string().regex(CONTRIBUTOR_NAME),
  round: z.int().nonnegative(),
  exponent: z.int().min(beaconExponents.min).max(beaconExponents.max),
  ...chained,
});

function keyEntrySchemas(version: 1 | 2) {
  const keys = perCircuit(version, keyEntry);
  const contribution = z.strictObject({
    kind: z.literal("contribution"),
    name: z.string().regex(CONTRIBUTOR_NAME),
    /** Over the text of `signedText` in signature.ts. */
    signature: z.strictObject({ publicKey: hex(32), value: hex(64) }).optional(),
    keys,
    ...chained,
  });
  const beacon = z.strictObject({
    kind: z.literal("beacon"),
    value: z.string().regex(/^([0-9a-f]{2}){8,255}$/),
    keys,
    ...chained,
  });
  return { contribution, beacon };
}

function transcriptSchema(version: 1 | 2) {
  const { contribution, beacon } = keyEntrySchemas(version);
  return z.strictObject({
    format: z.literal("tonado-ceremony-3"),
    powers: z.strictObject({ sha256: hex(32), power: z.int().min(1).max(28) }),
    circuits: perCircuit(
      version,
      z.strictObject({
        r1cs: hex(32), // SHA-256 of the constraint system
        constraints: z.int().positive().max(MAX_CONSTRAINTS),
        circuitHash: hex(64),
        zkey: hex(32), // SHA-256 of the initial key's file
      }),
    ),
    entries: z.array(z.discriminatedUnion("kind", [announcement, contribution, beacon])).max(10_000),
  });
}

/** The key is the version of the pools whose circuits the ceremony covers. */
const transcripts = { 1: transcriptSchema(1), 2: transcriptSchema(2) };

type KeyEntrySchemas = ReturnType<typeof keyEntrySchemas>;
export type Announcement = z.infer<typeof announcement>;
export type Contribution = z.infer<KeyEntrySchemas["contribution"]>;
export type BeaconEntry = z.infer<KeyEntrySchemas["beacon"]>;
export type KeyEntry = Contribution | BeaconEntry;
export type Transcript = z.infer<(typeof transcripts)[1]>;

/** Throws `invalid_ceremony` with the first invalid member. */
export function parseTranscript(bytes: Uint8Array): Transcript {
  let value: unknown;
  try {
    value = parseStrictJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof DuplicateKeyError) throw ceremonyProblem(SUBJECT, `is malformed: ${error.message}`);
    throw ceremonyProblem(SUBJECT, "is not JSON");
  }
  const circuits = Object((value as { circuits?: unknown } | null)?.circuits);
  const { data, error } = transcripts[circuitsVersion(circuits)].safeParse(value);
  if (data) return data;
  const [{ path, message }] = error.issues;
  throw ceremonyProblem(SUBJECT, `is malformed: /${path.join("/")}: ${message}`);
}

export function transcriptBytes(transcript: Transcript): Uint8Array {
  return utf8ToBytes(`${JSON.stringify(transcript, null, 2)}\n`);
}

/** The nth of them made the files `<circuit>.n.zkey`. */
export function keyEntries({ entries }: Transcript): KeyEntry[] {
  return entries.filter((entry) => entry.kind !== "announcement");
}

export function contributionsOf({ entries }: Transcript): Contribution[] {
  return entries.filter((entry) => entry.kind === "contribution");
}

/** Undefined if the ceremony is open. */
export function closingBeacon({ entries }: Transcript): BeaconEntry | undefined {
  const last = entries.at(-1);
  return last?.kind === "beacon" ? last : undefined;
}

export function latestAnnouncement({ entries }: Transcript): Announcement | undefined {
  return entries.findLast((entry) => entry.kind === "announcement");
}

export function entryName({ entries }: Pick<Transcript, "entries">, index: number): string {
  const { kind } = entries[index];
  const isCountedWith = (entry: Transcript["entries"][number]) =>
    (entry.kind === "announcement") === (kind === "announcement");
  return `${kind} ${entries.slice(0, index + 1).filter(isCountedWith).length}`;
}

export function lastHash(transcript: Transcript): string {
  return transcript.entries.at(-1)?.hash ?? headHash(transcript);
}

/** Covers everything but the entries. */
export function headHash({ format, powers, circuits }: Transcript): string {
  return canonicalHash({ format, powers, circuits });
}

export function withHash<T extends { readonly previous: string }>(entry: T): T & { hash: string } {
  return { ...entry, hash: canonicalHash(entry) };
}

export function canonicalHash(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));
}

export function newTranscript(
  powers: PowersOfTau,
  powersSha256: string,
  begun: PerCircuit<{
    readonly r1cs: string;
    readonly constraints: number;
    readonly key: Zkey;
    readonly sha256: string;
  }>,
): Transcript {
  const circuits = Object.entries(begun).map(([circuit, { r1cs, constraints, key, sha256 }]) => [
    circuit,
    { r1cs, constraints, circuitHash: bytesToHex(key.circuitHash), zkey: sha256 },
  ]);
  return {
    format: "tonado-ceremony-3",
    powers: { sha256: powersSha256, power: powers.power },
    circuits: Object.fromEntries(circuits),
    entries: [],
  };
}
