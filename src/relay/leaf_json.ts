/** Leaves as the JSON that `/tree/commitments` answers with, written from their bytes: no bigint, no string. */
import { FIELD_BYTES } from "../core/field.ts";

const before = new TextEncoder().encode(`{"leafIndex":`);
const between = new TextEncoder().encode(`,"commitment":"0x`);
const after = new TextEncoder().encode(`"},`);
/** Bytes of a leaf beside the digits of its index. */
const LENGTH = before.length + between.length + 2 * FIELD_BYTES + after.length;
const DIGITS = new TextEncoder().encode("0123456789abcdef");

/** Leaves `from` to `to` - 1 of `leaves`, 32 big-endian bytes each: `{"leafIndex":0,"commitment":"0x..."},` for each. */
export function encodeLeaves(leaves: Uint8Array, from: number, to: number): Uint8Array<ArrayBuffer> {
  let length = (to - from) * LENGTH;
  for (let leaf = from; leaf < to; leaf++) length += String(leaf).length;
  const text = new Uint8Array(length); // exactly: a copy of it would be garbage that no heap counts
  let at = 0;
  const put = (bytes: Uint8Array) => {
    text.set(bytes, at);
    at += bytes.length;
  };
  for (let leaf = from; leaf < to; leaf++) {
    put(before);
    for (const digit of String(leaf)) text[at++] = DIGITS[Number(digit)];
    put(between);
    for (let i = leaf * FIELD_BYTES; i < (leaf + 1) * FIELD_BYTES; i++) {
      text[at++] = DIGITS[leaves[i] >> 4];
      text[at++] = DIGITS[leaves[i] & 15];
    }
    put(after);
  }
  return text;
}
