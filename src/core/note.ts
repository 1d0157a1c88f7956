/**
 * The note: what a depositor keeps and a withdrawer needs. Whoever reads a note string can spend it, so this module
 * never puts one, or a part of one, into an error, a log or an inspected object.
 */
import { Problem } from "./errors.ts";
import { bytesToBigint } from "./field.ts";
import { isNetwork, type Network, networks } from "./network.ts";
import { poseidon } from "./poseidon.ts";

/** Bytes of a nullifier and of a secret; 248 bits are always below r. */
export const NOTE_SECRET_BYTES = 31;

/** Which pool a note is for: asset identifier, decimal denomination in whole units, network. */
export interface NotePool {
  readonly asset: string;
  readonly amount: string;
  readonly network: Network;
}

/** A parsed note. `nullifier` and `secret` are secrets; `commitment` is public, `nullifierHash` after withdrawal. */
export interface Note extends NotePool {
  readonly nullifier: bigint;
  readonly secret: bigint;
  /** poseidon(nullifier, secret): the leaf. */
  readonly commitment: bigint;
  /** poseidon(nullifier): revealed at withdrawal. */
  readonly nullifierHash: bigint;
}

const ASSET = /^[a-z0-9]+$/;
const AMOUNT = /^(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?$/;
const SECRETS = /^0x[0-9a-f]{124}$/;
const LONGEST_NOTE = 400;
/** Characters of an asset or an amount at most: so that every note that is made can be parsed. */
const LONGEST_PART = 80;
const SECRET_LIMIT = 1n << BigInt(8 * NOTE_SECRET_BYTES);

/**
 * Makes a fresh note: nullifier and secret are 31 random bytes each.
 *
 * @param random fills the array; the default is the platform's cryptographic generator
 * @throws {Problem} `invalid_note` when asset, amount or network has another form
 */
export function createNote(
  pool: NotePool,
  random: (bytes: Uint8Array<ArrayBuffer>) => void = randomBytes,
): Note {
  const drawn = new Uint8Array(2 * NOTE_SECRET_BYTES);
  random(drawn);
  return makeNote(checkPool(pool.asset, pool.amount, pool.network), drawn);
}

/**
 * Parses a note string `tonado-<asset>-<amount>-<network>-0x<124 hex>`.
 *
 * @throws {Problem} `invalid_note`, saying which part is wrong and never printing the note
 */
export function parseNote(text: string): Note {
  if (typeof text !== "string") throw wrong("it is not a string");
  if (text.length > LONGEST_NOTE) throw wrong("it is too long");
  const parts = text.split("-");
  if (parts[0] !== "tonado") throw wrong('it does not begin with "tonado-"');
  if (parts.length !== 5) {
    throw wrong("it does not have the five parts tonado-<asset>-<amount>-<network>-0x<hex>");
  }
  const [, asset, amount, network, secrets] = parts;
  const pool = checkPool(asset, amount, network);
  if (!SECRETS.test(secrets)) throw wrong("its last part is not 0x and 124 lowercase hex digits");
  return makeNote(pool, hexBytes(secrets.slice(2)));
}

/**
 * The note string. It is the secret itself: store it encrypted, print it only for its owner.
 *
 * @throws {Problem} `invalid_note` when a part of it is out of range
 */
export function formatNote(note: Note): string {
  checkPool(note.asset, note.amount, note.network);
  if ([note.nullifier, note.secret].some((x) => typeof x !== "bigint" || x < 0n || x >= SECRET_LIMIT)) {
    throw wrong("its nullifier or secret is not of 31 bytes");
  }
  const hex = (x: bigint) => x.toString(16).padStart(2 * NOTE_SECRET_BYTES, "0");
  return `tonado-${note.asset}-${note.amount}-${note.network}-0x${hex(note.nullifier)}${hex(note.secret)}`;
}

function checkPool(asset: string, amount: string, network: string): NotePool {
  if (typeof asset !== "string" || asset.length > LONGEST_PART || !ASSET.test(asset)) {
    throw wrong("its asset is not of lowercase letters and digits");
  }
  if (typeof amount !== "string" || amount.length > LONGEST_PART || !AMOUNT.test(amount) || amount === "0") {
    throw wrong("its amount is not a plain decimal number");
  }
  if (!isNetwork(network)) throw wrong(`its network is not one of ${networks.join(", ")}`);
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
  // Printing a note object by accident shows its pool and commitment only.
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

function wrong(what: string): Problem {
  return new Problem("invalid_note", `note is malformed: ${what}`);
}

function hexBytes(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}

function randomBytes(bytes: Uint8Array<ArrayBuffer>): void {
  crypto.getRandomValues(bytes);
}
