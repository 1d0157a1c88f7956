/**
 * A seed, from which every later note of its owner is derived: one backup covers them all.
 *
 * note n of a pool = HKDF-SHA256(seed, salt "tonado note seed", info "note/1/<network>/<raw address>/<n>"), 62 bytes:
 * 31 of the nullifier, 31 of the secret. The address separates the pools: no two pools share a commitment.
 */
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { Problem } from "../../errors/problem.ts";
import { Secret } from "../../text/secret.ts";
import type { Deployment } from "../deployments.ts";
import type { Network } from "../network.ts";
import { createNote, type Note, NOTE_SECRET_BYTES } from "../note.ts";

/** Anyone who has it can spend every note that is derived from it. */
export type NoteSeed = Secret<Uint8Array<ArrayBuffer>>;

/** The facts of a pool that its derived notes depend on. A {@linkcode Deployment} has them. */
export type SeedPool = Pick<Deployment, "asset" | "amount" | "version"> & {
  readonly address: Pick<Deployment["address"], "toRawString">;
};

const SEED_BYTES = 32;
const CHECKSUM_BYTES = 3;
const PREFIX = "tonado-seed-";
const SALT = utf8("tonado note seed");
const CHECKSUM_DOMAIN = utf8("tonado seed checksum");
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"; // Crockford's base 32: no letter looks like a digit
const BITS_PER_CHARACTER = 5;
const GROUP_LENGTH = 4;
/** 35 bytes are exactly 56 characters. */
const TEXT_LENGTH = 8 * (SEED_BYTES + CHECKSUM_BYTES) / BITS_PER_CHARACTER;
const MAX_INDEX = 2 ** 31 - 1;

/**
 * Creates a random seed.
 * @example
 * ```ts
 * const seed = createNoteSeed();
 * // store formatNoteSeed(seed), encrypted or on paper, before the first deposit
 * ```
 */
export function createNoteSeed(
  random: (bytes: Uint8Array<ArrayBuffer>) => void = (bytes) => crypto.getRandomValues(bytes),
): NoteSeed {
  const bytes = new Uint8Array(SEED_BYTES);
  random(bytes);
  return new Secret(bytes);
}

/**
 * Returns the text of a seed: `tonado-seed-` and 14 groups of four characters, which include a checksum.
 * @example
 * ```ts
 * const text = formatNoteSeed(seed).reveal();
 * ```
 */
export function formatNoteSeed(seed: NoteSeed): Secret<string> {
  const bytes = seed.reveal();
  const digits = encodeBase32([...bytes, ...checksum(bytes)]);
  const groups = digits.match(new RegExp(`.{${GROUP_LENGTH}}`, "g"))!;
  return new Secret(PREFIX + groups.join("-"));
}

/**
 * Parses the text of a seed.
 * @param text from {@linkcode formatNoteSeed}; case, spaces and hyphens do not matter; o, i and l are read as digits
 * @throws {Problem} `invalid_seed`, which never contains the text
 * @example
 * ```ts
 * const seed = parseNoteSeed(text);
 * ```
 */
export function parseNoteSeed(text: string): NoteSeed {
  const compact = text.length > 400 ? "" : text.toLowerCase().replace(/[\s-]/g, "");
  const prefix = PREFIX.replaceAll("-", "");
  if (!compact.startsWith(prefix)) throw invalidSeed(`it does not begin with "${PREFIX}"`);
  const digits = compact.slice(prefix.length).replaceAll("o", "0").replace(/[il]/g, "1");
  if (digits.length !== TEXT_LENGTH) {
    throw invalidSeed(`it has ${digits.length} characters after "${PREFIX}", not ${TEXT_LENGTH}`);
  }
  const decoded = decodeBase32(digits);
  const bytes = decoded.slice(0, SEED_BYTES);
  if (!checksum(bytes).every((byte, i) => byte === decoded[SEED_BYTES + i])) {
    throw invalidSeed("its checksum does not match, so a character is wrong");
  }
  return new Secret(bytes);
}

/**
 * Returns note number `index` of a pool. The same seed, pool and index always give the same note.
 * @param index 0 and up
 * @throws {RangeError} if the index is not an integer from 0 to 2^31 - 1
 * @throws {Problem} `invalid_note` if the pool's asset or amount is malformed
 * @example
 * ```ts
 * const note = deriveNote(seed, "testnet", deployment, 0);
 * ```
 */
export function deriveNote(seed: NoteSeed, network: Network, pool: SeedPool, index: number): Note {
  if (!Number.isInteger(index) || index < 0 || index > MAX_INDEX) throw new RangeError(`no note ${index}`);
  const { asset, amount, version, address } = pool;
  const info = utf8(`note/1/${network}/${address.toRawString()}/${index}`);
  const derived = hkdf(sha256, seed.reveal(), SALT, info, 2 * NOTE_SECRET_BYTES);
  return createNote({ asset, amount, network, ...version && { version } }, (bytes) => bytes.set(derived));
}

function checksum(seed: Uint8Array): Uint8Array {
  return sha256(new Uint8Array([...CHECKSUM_DOMAIN, ...seed])).subarray(0, CHECKSUM_BYTES);
}

function encodeBase32(bytes: readonly number[]): string {
  let bits = bytes.reduce((sum, byte) => sum << 8n | BigInt(byte), 0n);
  let text = "";
  for (let i = 0; i < TEXT_LENGTH; i++, bits >>= BigInt(BITS_PER_CHARACTER)) {
    text = ALPHABET[Number(bits % BigInt(ALPHABET.length))] + text;
  }
  return text;
}

function decodeBase32(text: string): Uint8Array<ArrayBuffer> {
  let bits = 0n;
  for (const character of text) {
    const value = ALPHABET.indexOf(character);
    if (value < 0) throw invalidSeed("it contains a character that seeds do not have");
    bits = bits << BigInt(BITS_PER_CHARACTER) | BigInt(value);
  }
  const bytes = new Uint8Array(SEED_BYTES + CHECKSUM_BYTES);
  for (let i = bytes.length - 1; i >= 0; i--, bits >>= 8n) bytes[i] = Number(bits & 0xffn);
  return bytes;
}

function invalidSeed(what: string): Problem {
  return new Problem("invalid_seed", `the seed is malformed: ${what}`);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
