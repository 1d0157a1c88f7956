/**
 * The scalar field of BLS12-381. A field element is canonical when `0 <= x < r`; every decoder here rejects
 * anything else, because x and x + r prove the same thing and would be two keys in the pool's set.
 */
import { Problem } from "./errors.ts";

/** r, the order of the BLS12-381 groups (draft-irtf-cfrg-pairing-friendly-curves, section 4.2.1). */
export const FIELD_MODULUS = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

/** Bytes of an encoded field element. */
export const FIELD_BYTES = 32;

/** Whether `x` is a canonical field element. */
export function isFieldElement(x: bigint): boolean {
  return x >= 0n && x < FIELD_MODULUS;
}

/**
 * Returns `x` unchanged.
 *
 * @throws {Problem} `not_in_field`, naming `what`, unless `0 <= x < r`.
 */
export function assertFieldElement(x: bigint, what = "value"): bigint {
  if (!isFieldElement(x)) throw new Problem("not_in_field", `${what} is not in [0, r)`);
  return x;
}

/** `0x` and 64 lowercase hex digits: the form of commitments, nullifier hashes and roots on the wire. */
export function toHex(x: bigint): string {
  return `0x${assertFieldElement(x).toString(16).padStart(2 * FIELD_BYTES, "0")}`;
}

const HEX = /^0x[0-9a-fA-F]{1,64}$/;
const DECIMAL = /^(0|[1-9][0-9]{0,77})$/;

/**
 * Parses `0x` and 1 to 64 hex digits of either case.
 *
 * @throws {Problem} `invalid_request` for another form, `not_in_field` at or above r; both name `what`.
 */
export function fromHex(text: string, what = "value"): bigint {
  if (!HEX.test(text)) throw new Problem("invalid_request", `${what} is not 0x and 1 to 64 hex digits`);
  return assertFieldElement(BigInt(text), what);
}

/**
 * Parses a public signal: a decimal string, or `0x` hex.
 *
 * @throws {Problem} `invalid_request` for another form, `not_in_field` at or above r; both name `what`.
 */
export function parseSignal(text: string, what = "public signal"): bigint {
  if (HEX.test(text)) return fromHex(text, what);
  if (!DECIMAL.test(text)) throw new Problem("invalid_request", `${what} is not a decimal integer`);
  return assertFieldElement(BigInt(text), what);
}

/** Big-endian, 32 bytes. */
export function toBytes(x: bigint): Uint8Array {
  const bytes = new Uint8Array(FIELD_BYTES);
  writeBytes(x, bytes, 0);
  return bytes;
}

/** Writes `x` as 32 big-endian bytes into `bytes` at `offset`. */
export function writeBytes(x: bigint, bytes: Uint8Array, offset: number): void {
  assertFieldElement(x);
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, FIELD_BYTES);
  for (let i = 0; i < FIELD_BYTES; i += 8) view.setBigUint64(i, x >> BigInt(8 * (FIELD_BYTES - 8 - i)));
}

/**
 * Reads 32 big-endian bytes.
 *
 * @throws {Problem} `not_in_field` at or above r; `invalid_request` for another length.
 */
export function fromBytes(bytes: Uint8Array, what = "value"): bigint {
  if (bytes.length !== FIELD_BYTES) {
    throw new Problem("invalid_request", `${what} is not ${FIELD_BYTES} bytes`);
  }
  return assertFieldElement(bytesToBigint(bytes), what);
}

/** Big-endian bytes of any length as an integer, with no bound checked. */
export function bytesToBigint(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const odd = bytes.length % 8;
  let x = 0n;
  for (let i = 0; i < odd; i++) x = (x << 8n) | BigInt(bytes[i]);
  for (let i = odd; i < bytes.length; i += 8) x = (x << 64n) | view.getBigUint64(i);
  return x;
}
