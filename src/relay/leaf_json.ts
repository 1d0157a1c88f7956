/** Leaves as the JSON that `/tree/commitments` answers with, written from their bytes: no bigint, no string. */
import { FIELD_BYTES } from "../core/field.ts";

const utf8 = new TextEncoder();
const before = utf8.encode(`{"leafIndex":`);
const between = utf8.encode(`,"commitment":"0x`);
const after = utf8.encode(`"},`);
/** Bytes of a leaf beside the digits of its index. */
const LENGTH = before.length + between.length + 2 * FIELD_BYTES + after.length;
const DIGITS = utf8.encode("0123456789abcdef");

/** Leaves `from` to `to` - 1 of `leaves`, 32 big-endian bytes each: `{"leafIndex":0,"commitment":"0x..."},` for each. */
export function encodeLeaves(leaves: Uint8Array, from: number, to: number): Uint8Array<ArrayBuffer> {
  let length = (to - from) * LENGTH;
  for (let leaf = from; leaf < to; leaf++) length += digitsOf(leaf);
  const text = new Uint8Array(length); // exactly: a copy of it would be garbage that no heap counts
  let at = 0;
  for (let leaf = from; leaf < to; leaf++) {
    at = put(before, text, at);
    at = putNumber(leaf, text, at);
    at = put(between, text, at);
    for (let i = leaf * FIELD_BYTES; i < (leaf + 1) * FIELD_BYTES; i++) {
      text[at++] = DIGITS[leaves[i] >> 4];
      text[at++] = DIGITS[leaves[i] & 15];
    }
    at = put(after, text, at);
  }
  return text;
}

/** Byte by byte: of so few, a call of `set` takes longer than all of a leaf's. @returns where it ends */
function put(bytes: Uint8Array, text: Uint8Array, at: number): number {
  for (let i = 0; i < bytes.length; i++) text[at + i] = bytes[i];
  return at + bytes.length;
}

function putNumber(number: number, text: Uint8Array, at: number): number {
  const end = at + digitsOf(number);
  for (let i = end - 1, rest = number; i >= at; i--, rest = Math.floor(rest / 10)) {
    text[i] = DIGITS[rest % 10];
  }
  return end;
}

function digitsOf(number: number): number {
  let digits = 1;
  for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) digits++;
  return digits;
}
