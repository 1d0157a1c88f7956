/** Decoders reject x >= r: x + r satisfies the same proof but is another key in the pool's nullifier set. */
import { Problem } from "../errors/problem.ts";
import { FIELD_BYTES, isFieldElement } from "./field_size.ts";

export { FIELD_BYTES, FIELD_MODULUS, isFieldElement } from "./field_size.ts";

export function assertFieldElement(x: bigint, what = "value"): bigint {
  if (!isFieldElement(x)) throw new Problem("not_in_field", `${what} is not in [0, r)`);
  return x;
}

export function fieldToHex(x: bigint): string {
  return `0x${assertFieldElement(x).toString(16).padStart(2 * FIELD_BYTES, "0")}`;
}

const HEX_PATTERN = /^0x[0-9a-fA-F]{1,64}$/;
const DECIMAL_PATTERN = /^(0|[1-9][0-9]{0,77})$/;

export function fieldFromHex(text: string, what = "value"): bigint {
  if (!HEX_PATTERN.test(text)) {
    throw new Problem("invalid_request", `${what} is not 0x and 1 to 64 hex digits`);
  }
  return assertFieldElement(BigInt(text), what);
}

export function parseSignal(text: string, what = "public signal"): bigint {
  if (HEX_PATTERN.test(text)) return fieldFromHex(text, what);
  if (!DECIMAL_PATTERN.test(text)) throw new Problem("invalid_request", `${what} is not a decimal integer`);
  return assertFieldElement(BigInt(text), what);
}

export function fieldToBytes(x: bigint): Uint8Array {
  const bytes = new Uint8Array(FIELD_BYTES);
  writeFieldBytes(x, bytes, 0);
  return bytes;
}

export function writeFieldBytes(x: bigint, bytes: Uint8Array, offset: number): void {
  assertFieldElement(x);
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, FIELD_BYTES);
  for (let i = 0; i < FIELD_BYTES; i += 8) view.setBigUint64(i, x >> BigInt(8 * (FIELD_BYTES - 8 - i)));
}

export function fieldFromBytes(bytes: Uint8Array, what = "value"): bigint {
  if (bytes.length !== FIELD_BYTES) {
    throw new Problem("invalid_request", `${what} is not ${FIELD_BYTES} bytes`);
  }
  return assertFieldElement(bytesToBigint(bytes), what);
}

export function bytesToBigint(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const odd = bytes.length % 8;
  let x = 0n;
  for (let i = 0; i < odd; i++) x = (x << 8n) | BigInt(bytes[i]);
  for (let i = odd; i < bytes.length; i += 8) x = (x << 64n) | view.getBigUint64(i);
  return x;
}
