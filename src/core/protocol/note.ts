/** No error, log or inspected object contains any part of a note: anyone who reads it can spend it. */
import { hexToBytes } from "@noble/hashes/utils.js";
import { Problem } from "../errors/problem.ts";
import { bytesToBigint } from "../crypto/field.ts";
import type { PoolVersion } from "./deployments.ts";
import { isNetwork, type Network, networks } from "./network.ts";
import { poseidon } from "../crypto/poseidon.ts";

/** Size of a nullifier and of a secret: 248 bits are always below r. */
export const NOTE_SECRET_BYTES = 31;

/** The pools of a note: asset identifier, decimal denomination in whole units, network. */
export interface NotePool {
  readonly asset: string;
  readonly amount: string;
  readonly network: Network;
  /** The version of the pool's contract. Default: 1. */
  readonly version?: PoolVersion;
}

/** A parsed note. `nullifier` and `secret` are secret. `nullifierHash` becomes public at withdrawal. */
export interface Note extends NotePool {
  readonly version: PoolVersion;
  readonly nullifier: bigint;
  readonly secret: bigint;
  /** poseidon(nullifier, secret), the leaf. */
  readonly commitment: bigint;
  /**
   * poseidon(nullifier). Of a version 2 note poseidon(nullifier, leafIndex): reading it throws a RangeError until
   * {@linkcode placeNote} has given the note its leaf.
   */
  readonly nullifierHash: bigint;
  /** The leaf index of a version 2 note that is deposited. */
  readonly leafIndex?: number;
}

const PREFIXES = [undefined, "tonado", "tonado2"]; // by version
const ASSET_PATTERN = /^[a-z0-9]+$/;
const AMOUNT_PATTERN = /^(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?$/;
const SECRETS_PATTERN = /^0x[0-9a-f]{124}$/;
const MAX_NOTE_LENGTH = 400;
/** Limits asset and amount, so that every note that is made can be parsed. */
const MAX_NOTE_PART_LENGTH = 80;
const SECRET_LIMIT = 1n << BigInt(8 * NOTE_SECRET_BYTES);

/**
 * Creates a note with a random nullifier and secret. Store it, encrypted, before you deposit.
 * @param pool `amount` in whole units
 * @throws {Problem} `invalid_note` if the asset, amount or network is malformed
 * @example
 * ```ts
 * const note = createNote({ asset: "native", amount: "10", network: "testnet" });
 * ```
 */
export function createNote(
  pool: NotePool,
  random: (bytes: Uint8Array<ArrayBuffer>) => void = randomBytes,
): Note {
  const drawn = new Uint8Array(2 * NOTE_SECRET_BYTES);
  random(drawn);
  return makeNote(validateNotePool(pool.asset, pool.amount, pool.network, pool.version), drawn);
}

/**
 * Returns a version 2 note with the nullifier hash of one of its leaves. A note of version 1 stays as it is.
 * @param leafIndex of a leaf with the note's commitment
 * @throws {RangeError} if it is not the index of a leaf
 * @example
 * ```ts
 * const { nullifierHash } = placeNote(note, tree.indexOf(note.commitment));
 * ```
 */
export function placeNote(note: Note, leafIndex: number): Note {
  if (!Number.isInteger(leafIndex) || leafIndex < 0) throw new RangeError(`no leaf ${leafIndex}`);
  if (note.version !== 2) return note;
  const { asset, amount, network, version, nullifier, secret } = note;
  return buildNote({ asset, amount, network, version }, { nullifier, secret, leafIndex });
}

/** What a lookup in a pool's data needs of a note. It contains no secret. */
export interface NoteHashes {
  readonly commitment: bigint;
  nullifierHashAt(leafIndex: number): bigint;
}

export function toNoteHashes(note: Note): NoteHashes {
  const { commitment } = note;
  return { commitment, nullifierHashAt: (leafIndex) => placeNote(note, leafIndex).nullifierHash };
}

/**
 * Parses a note string.
 * @param text `tonado-<asset>-<amount>-<network>-0x<124 hex>`; begins with `tonado2-` for version 2
 * @throws {Problem} `invalid_note`, which names the wrong part and never contains the note
 * @example
 * ```ts
 * const note = parseNote(text);
 * ```
 */
export function parseNote(text: string): Note {
  if (typeof text !== "string") throw invalidNote("it is not a string");
  if (text.length > MAX_NOTE_LENGTH) throw invalidNote("it is too long");
  const parts = text.split("-");
  const version = PREFIXES.indexOf(parts[0]) as PoolVersion;
  if (version < 1) throw invalidNote('it does not begin with "tonado-" or "tonado2-"');
  if (parts.length !== 5) {
    throw invalidNote("it does not have the five parts tonado-<asset>-<amount>-<network>-0x<hex>");
  }
  const [, asset, amount, network, secrets] = parts;
  const pool = validateNotePool(asset, amount, network, version);
  if (!SECRETS_PATTERN.test(secrets)) {
    throw invalidNote("its last part is not 0x and 124 lowercase hex digits");
  }
  return makeNote(pool, hexToBytes(secrets.slice(2)));
}

/**
 * Returns the note string. Anyone who reads it can spend the note, so store it encrypted.
 * @throws {Problem} `invalid_note` if a part of the note is out of range
 * @example
 * ```ts
 * const text = formatNote(note); // "tonado-native-10-testnet-0x..."
 * ```
 */
export function formatNote(note: Note): string {
  validateNotePool(note.asset, note.amount, note.network, note.version);
  if ([note.nullifier, note.secret].some((x) => typeof x !== "bigint" || x < 0n || x >= SECRET_LIMIT)) {
    throw invalidNote("its nullifier or secret is not of 31 bytes");
  }
  const hex = (x: bigint) => x.toString(16).padStart(2 * NOTE_SECRET_BYTES, "0");
  return `${PREFIXES[note.version]}-${note.asset}-${note.amount}-${note.network}-0x${hex(note.nullifier)}${
    hex(note.secret)
  }`;
}

function validateNotePool(
  asset: string,
  amount: string,
  network: string,
  version: PoolVersion = 1,
): Required<NotePool> {
  if (version !== 1 && version !== 2) throw invalidNote("its version is not 1 or 2");
  if (typeof asset !== "string" || asset.length > MAX_NOTE_PART_LENGTH || !ASSET_PATTERN.test(asset)) {
    throw invalidNote("its asset is not of lowercase letters and digits");
  }
  if (
    typeof amount !== "string" || amount.length > MAX_NOTE_PART_LENGTH || !AMOUNT_PATTERN.test(amount) ||
    amount === "0"
  ) {
    throw invalidNote("its amount is not a plain decimal number");
  }
  if (!isNetwork(network)) throw invalidNote(`its network is not one of ${networks.join(", ")}`);
  return { asset, amount, network, version };
}

function makeNote(pool: Required<NotePool>, drawn: Uint8Array): Note {
  const nullifier = bytesToBigint(drawn.subarray(0, NOTE_SECRET_BYTES));
  const secret = bytesToBigint(drawn.subarray(NOTE_SECRET_BYTES));
  return buildNote(pool, { nullifier, secret });
}

function buildNote(
  pool: Required<NotePool>,
  { nullifier, secret, leafIndex }: Pick<Note, "nullifier" | "secret" | "leafIndex">,
): Note {
  const commitment = poseidon([nullifier, secret]);
  const note = { ...pool, nullifier, secret, commitment, ...leafIndex !== undefined && { leafIndex } };
  Object.defineProperty(note, "nullifierHash", { enumerable: true, ...nullifierHashProperty(note) });
  // A note printed by accident shows only its pool.
  const redacted = () =>
    `Note { ${PREFIXES[pool.version]}-${pool.asset}-${pool.amount}-${pool.network}, [redacted] }`;
  for (
    const key of [
      "toString",
      "toJSON",
      Symbol.for("nodejs.util.inspect.custom"),
      Symbol.for("Deno.customInspect"),
    ]
  ) {
    Object.defineProperty(note, key, { value: redacted });
  }
  return note as Note;
}

function nullifierHashProperty(
  { version, nullifier, leafIndex }: Pick<Note, "version" | "nullifier" | "leafIndex">,
): PropertyDescriptor {
  if (version === 1) return { value: poseidon([nullifier]) };
  if (leafIndex !== undefined) return { value: poseidon([nullifier, BigInt(leafIndex)]) };
  return {
    enumerable: false, // copies of the note lack it as well
    get() {
      throw new RangeError("a version 2 note has a nullifier hash for each leaf: place it first");
    },
  };
}

function invalidNote(what: string): Problem {
  return new Problem("invalid_note", `note is malformed: ${what}`);
}

function randomBytes(bytes: Uint8Array<ArrayBuffer>): void {
  crypto.getRandomValues(bytes);
}
