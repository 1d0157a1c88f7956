/** No error, log or inspected object contains any part of a note: anyone who reads it can spend it. */
import { hexToBytes } from "@noble/hashes/utils.js";
import { Problem } from "../errors/problem.ts";
import { bytesToBigint } from "../crypto/field.ts";
import { isNetwork, type Network, networks } from "./network.ts";
import { poseidon } from "../crypto/poseidon.ts";

/** Size of a nullifier and of a secret: 248 bits are always below r. */
export const NOTE_SECRET_BYTES = 31;

/** The pool of a note: asset identifier, decimal denomination in whole units, network. */
export interface NotePool {
  readonly asset: string;
  readonly amount: string;
  readonly network: Network;
}

/** A parsed note. `nullifier` and `secret` are secret. `nullifierHash` becomes public at withdrawal. */
export interface Note extends NotePool {
  readonly nullifier: bigint;
  readonly secret: bigint;
  /** poseidon(nullifier, secret), the leaf. */
  readonly commitment: bigint;
  /** poseidon(nullifier) */
  readonly nullifierHash: bigint;
}

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
  return makeNote(validateNotePool(pool.asset, pool.amount, pool.network), drawn);
}

/**
 * Parses a note string `tonado-<asset>-<amount>-<network>-0x<124 hex>`.
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
  if (parts[0] !== "tonado") throw invalidNote('it does not begin with "tonado-"');
  if (parts.length !== 5) {
    throw invalidNote("it does not have the five parts tonado-<asset>-<amount>-<network>-0x<hex>");
  }
  const [, asset, amount, network, secrets] = parts;
  const pool = validateNotePool(asset, amount, network);
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
  validateNotePool(note.asset, note.amount, note.network);
  if ([note.nullifier, note.secret].some((x) => typeof x !== "bigint" || x < 0n || x >= SECRET_LIMIT)) {
    throw invalidNote("its nullifier or secret is not of 31 bytes");
  }
  const hex = (x: bigint) => x.toString(16).padStart(2 * NOTE_SECRET_BYTES, "0");
  return `tonado-${note.asset}-${note.amount}-${note.network}-0x${hex(note.nullifier)}${hex(note.secret)}`;
}

function validateNotePool(asset: string, amount: string, network: string): NotePool {
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
  return { asset, amount, network };
}

function makeNote(pool: NotePool, drawn: Uint8Array): Note {
  const nullifier = bytesToBigint(drawn.subarray(0, NOTE_SECRET_BYTES));
  const secret = bytesToBigint(drawn.subarray(NOTE_SECRET_BYTES));
  const note: Note = {
    ...pool,
    nullifier,
    secret,
    commitment: poseidon([nullifier, secret]),
    nullifierHash: poseidon([nullifier]),
  };
  // A note printed by accident shows only its pool.
  const shown = () => `Note { tonado-${pool.asset}-${pool.amount}-${pool.network}, [redacted] }`;
  for (
    const key of [
      "toString",
      "toJSON",
      Symbol.for("nodejs.util.inspect.custom"),
      Symbol.for("Deno.customInspect"),
    ]
  ) {
    Object.defineProperty(note, key, { value: shown });
  }
  return note;
}

function invalidNote(what: string): Problem {
  return new Problem("invalid_note", `note is malformed: ${what}`);
}

function randomBytes(bytes: Uint8Array<ArrayBuffer>): void {
  crypto.getRandomValues(bytes);
}
