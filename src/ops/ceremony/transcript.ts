/**
 * The transcript: what a ceremony is about, and every contribution with its proof, chained by hashes. It is small, is
 * published after every contribution, and shows to whoever kept an earlier one that nothing was exchanged.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { type CircuitName, circuits } from "../../core/groth16.ts";
import { DoubledMember, parseUnique } from "../../core/unique_json.ts";
import type { Arithmetic } from "./arithmetic.ts";
import {
  type Beacon,
  beaconExponents,
  checkHistory,
  contributionHash,
  type History,
} from "./contribution.ts";
import { pointBytes, pointText } from "./point_text.ts";
import { generatorsOf, type Powers, sound } from "./powers.ts";
import { refused } from "./sections.ts";
import { MOST_CONSTRAINTS } from "./sizes.ts";
import type { KeyContribution, Zkey } from "./zkey.ts";

const WHAT = "transcript";
/** Of contributors' names. */
export const NAME = /^[\p{L}\p{N}][\p{L}\p{N} .,:@/()_-]{0,62}$/u;

const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`));
const perCircuit = <T extends z.ZodType>(type: T) => z.strictObject({ withdraw: type, deposit: type });

const keyEntry = z.strictObject({
  /** Delta after this contribution. */
  delta: z.strictObject({ g1: hex(96), g2: hex(192) }),
  /** s, x s, and x times the challenge's point. */
  proof: z.strictObject({ s: hex(96), sx: hex(96), answer: hex(192) }),
  challenge: hex(64),
  /** BLAKE2b of the points and the challenge, as snarkjs shows it. */
  contributionHash: hex(64),
  /** SHA-256 of the key's file. */
  zkey: hex(32),
});

const entry = z.strictObject({
  kind: z.enum(["contribution", "beacon"]),
  name: z.string().regex(NAME),
  beacon: z.strictObject({
    value: z.string().regex(/^([0-9a-f]{2}){8,255}$/),
    exponent: z.int().min(beaconExponents.least).max(beaconExponents.most),
  }).optional(),
  /** `hash` of what was before: of the entry, or of the head. */
  previous: hex(32),
  keys: perCircuit(keyEntry),
  /** SHA-256 of this entry without this member. */
  hash: hex(32),
});

const head = z.strictObject({
  format: z.literal("tonado-ceremony-1"),
  powers: z.strictObject({ sha256: hex(32), power: z.int().min(1).max(28) }),
  circuits: perCircuit(z.strictObject({
    /** SHA-256 of the constraint system. */
    r1cs: hex(32),
    constraints: z.int().positive().max(MOST_CONSTRAINTS),
    circuitHash: hex(64),
    /** SHA-256 of the initial key's file. */
    zkey: hex(32),
  })),
});

const transcript = z.strictObject({ ...head.shape, contributions: z.array(entry).max(10_000) });

/** What a ceremony is about. */
export type TranscriptHead = z.infer<typeof head>;
/** One contribution to both keys. */
export type TranscriptEntry = z.infer<typeof entry>;
/** A whole transcript. */
export type Transcript = z.infer<typeof transcript>;

/** @throws {Problem} `invalid_ceremony` naming the first member that is wrong */
export function parseTranscript(bytes: Uint8Array): Transcript {
  let value: unknown;
  try {
    value = parseUnique(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof DoubledMember) throw refused(WHAT, `is malformed: ${error.message}`);
    throw refused(WHAT, "is not JSON");
  }
  const { data, error } = transcript.safeParse(value);
  if (data) return data;
  const [{ path, message }] = error.issues;
  throw refused(WHAT, `is malformed: /${path.join("/")}: ${message}`);
}

/** The bytes of a transcript's file. */
export function transcriptBytes(transcript: Transcript): Uint8Array {
  return utf8ToBytes(`${JSON.stringify(transcript, null, 2)}\n`);
}

/** What a further entry's `previous` has to be. */
export function lastHash({ contributions, ...head }: Transcript): string {
  return contributions.at(-1)?.hash ?? hashOf(head);
}

/** The entry for a contribution to both keys, which have it as their last. */
export async function entryFor(
  transcript: Transcript,
  keys: Readonly<Record<CircuitName, { readonly key: Zkey; readonly sha256: string }>>,
  arithmetic: Arithmetic,
): Promise<TranscriptEntry> {
  const of = async (circuit: CircuitName) => {
    const { key, sha256 } = keys[circuit];
    const last = key.contributions[key.contributions.length - 1];
    return {
      delta: { g1: pointText(last.delta), g2: pointText(key.delta2) },
      proof: { s: pointText(last.s), sx: pointText(last.sx), answer: pointText(last.answer) },
      challenge: bytesToHex(last.challenge),
      contributionHash: bytesToHex(await contributionHash(last, arithmetic)),
      zkey: sha256,
    };
  };
  const { name, beacon } = keys.withdraw.key.contributions[keys.withdraw.key.contributions.length - 1];
  const unhashed = {
    kind: beacon ? "beacon" as const : "contribution" as const,
    name,
    ...beacon && { beacon: { value: bytesToHex(beacon.value), exponent: beacon.exponent } },
    previous: lastHash(transcript),
    keys: { withdraw: await of("withdraw"), deposit: await of("deposit") },
  };
  return { ...unhashed, hash: hashOf(unhashed) };
}

/** The history of one circuit's key, as the transcript tells it. */
export function historyOf(transcript: Transcript, circuit: CircuitName): History {
  return {
    circuitHash: hexToBytes(transcript.circuits[circuit].circuitHash),
    contributions: transcript.contributions.map(({ name, beacon, keys }): KeyContribution => {
      const { delta, proof, challenge } = keys[circuit];
      return {
        delta: pointBytes(delta.g1),
        s: pointBytes(proof.s),
        sx: pointBytes(proof.sx),
        answer: pointBytes(proof.answer),
        challenge: hexToBytes(challenge),
        name,
        ...beacon && { beacon: beaconOf(beacon) },
      };
    }),
  };
}

function beaconOf({ value, exponent }: { value: string; exponent: number }): Beacon {
  return { value: hexToBytes(value), exponent };
}

/**
 * Verifies a transcript by itself: the chain of hashes, and for both circuits every proof and every delta, in both groups.
 * What the keys hold is not looked at.
 *
 * @throws {Problem} `invalid_ceremony` naming what fails
 */
export async function checkTranscript(
  transcript: Transcript,
  arithmetic: Arithmetic,
  onProgress: (fraction: number) => void = () => {},
): Promise<void> {
  const { contributions, ...head } = transcript;
  let previous = hashOf(head);
  for (const [i, { hash, ...unhashed }] of contributions.entries()) {
    const what = `${WHAT}: contribution ${i + 1}`;
    if (unhashed.previous !== previous) throw refused(what, "does not follow what was before it");
    if (hash !== hashOf(unhashed)) throw refused(what, "does not have the hash that it says");
    if ((unhashed.kind === "beacon") !== (unhashed.beacon !== undefined)) {
      throw refused(what, "is a beacon without its value, or a value without a beacon");
    }
    previous = hash;
  }
  const { g1, g2 } = await generatorsOf(arithmetic);
  for (const [i, circuit] of circuits.entries()) {
    const history = historyOf(transcript, circuit);
    const report = (fraction: number) => onProgress((i + fraction) / circuits.length);
    await checkHistory(history, arithmetic, report).catch((error) => {
      throw error instanceof Error ? refused(`${circuit}:`, error.message) : error;
    });
    for (const [j, contribution] of history.contributions.entries()) {
      const what = `${circuit}: contribution ${j + 1}`;
      const { delta, contributionHash: said } = contributions[j].keys[circuit];
      const delta2 = pointBytes(delta.g2);
      await sound(arithmetic, "G2", delta2, what);
      if (!await arithmetic.run("sameRatio", g1, contribution.delta, g2, delta2)) {
        throw refused(what, "has another delta in G2 than in G1");
      }
      if (bytesToHex(await contributionHash(contribution, arithmetic)) !== said) {
        throw refused(what, "does not have the contribution hash that it says");
      }
    }
  }
}

/**
 * Checks that `later`, which was checked by itself, begins with all that `earlier` says: every member of every
 * contribution, for a hash that was kept is worth nothing beside members that it is not of.
 *
 * @throws {Problem} `invalid_ceremony` unless it does
 */
export function checkExtends(later: Transcript, earlier: Transcript): void {
  if (hashOf(headOf(later)) !== hashOf(headOf(earlier))) throw refused(WHAT, "is of another ceremony");
  for (const [i, kept] of earlier.contributions.entries()) {
    const found = later.contributions[i];
    if (found?.hash !== kept.hash) {
      throw refused(WHAT, `has another contribution ${i + 1} than the earlier one`);
    }
    if (canonical(found) !== canonical(kept)) {
      throw refused(`kept ${WHAT}`, `was altered: contribution ${i + 1} does not have the hash that it says`);
    }
  }
}

function headOf({ contributions: _, ...head }: Transcript): TranscriptHead {
  return head;
}

/** SHA-256 of a value as JSON without spaces, members in the order of their names. */
function hashOf(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonical(value))));
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([x], [y]) => x < y ? -1 : 1);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

/** The transcript of a ceremony that begins with these keys. */
export function newTranscript(
  powers: Powers,
  powersSha256: string,
  begun: Readonly<
    Record<CircuitName, {
      readonly r1cs: string;
      readonly constraints: number;
      readonly key: Zkey;
      readonly sha256: string;
    }>
  >,
): Transcript {
  const of = (circuit: CircuitName) => {
    const { r1cs, constraints, key, sha256 } = begun[circuit];
    return { r1cs, constraints, circuitHash: bytesToHex(key.circuitHash), zkey: sha256 };
  };
  return {
    format: "tonado-ceremony-1",
    powers: { sha256: powersSha256, power: powers.power },
    circuits: { withdraw: of("withdraw"), deposit: of("deposit") },
    contributions: [],
  };
}
