/** Pages of leaves, encoded as JSON bytes without a string for each leaf. */
import { FIELD_BYTES } from "../../../core/crypto/field.ts";

export interface CommitmentsPage {
  readonly from: number;
  readonly count: number;
  readonly nextFrom: number | null; // null on the last page
  /** The array's members as JSON in UTF-8, comma separated, in shared pieces. */
  readonly items: readonly Uint8Array<ArrayBuffer>[];
  /** Version 2 pools only, on the last page: the deposits that wait. */
  readonly pending?: readonly { readonly leafIndex: number; readonly commitment: bigint }[];
}

export interface LeafPage {
  readonly bytes: Uint8Array<ArrayBuffer>; // 32 for each leaf, big-endian
  /** Whether more leaves follow, so that the page never changes. */
  readonly isImmutable: boolean;
}

const utf8 = new TextEncoder();
const LEAF_PREFIX = utf8.encode(`{"leafIndex":`);
const LEAF_SEPARATOR = utf8.encode(`,"commitment":"0x`);
const LEAF_SUFFIX = utf8.encode(`"},`);
const FIXED_LEAF_BYTES = LEAF_PREFIX.length + LEAF_SEPARATOR.length + 2 * FIELD_BYTES + LEAF_SUFFIX.length;
const HEX_DIGITS = utf8.encode("0123456789abcdef");

/**
 * Encodes the leaves from index `from` up to `to` (exclusive), each as
 * `{"leafIndex":0,"commitment":"0x..."},`.
 */
export function encodeLeavesJson(leaves: Uint8Array, from: number, to: number): Uint8Array<ArrayBuffer> {
  let length = (to - from) * FIXED_LEAF_BYTES;
  for (let leaf = from; leaf < to; leaf++) length += countDigits(leaf);
  const text = new Uint8Array(length); // its exact size, to avoid a copy
  let at = 0;
  for (let leaf = from; leaf < to; leaf++) {
    at = copyBytes(LEAF_PREFIX, text, at);
    at = writeDecimal(leaf, text, at);
    at = copyBytes(LEAF_SEPARATOR, text, at);
    for (let i = leaf * FIELD_BYTES; i < (leaf + 1) * FIELD_BYTES; i++) {
      text[at++] = HEX_DIGITS[leaves[i] >> 4];
      text[at++] = HEX_DIGITS[leaves[i] & 15];
    }
    at = copyBytes(LEAF_SUFFIX, text, at);
  }
  return text;
}

/** Faster than `set` for a few bytes. Returns the end offset. */
function copyBytes(bytes: Uint8Array, text: Uint8Array, at: number): number {
  for (let i = 0; i < bytes.length; i++) text[at + i] = bytes[i];
  return at + bytes.length;
}

function writeDecimal(number: number, text: Uint8Array, at: number): number {
  const end = at + countDigits(number);
  for (let i = end - 1, rest = number; i >= at; i--, rest = Math.floor(rest / 10)) {
    text[i] = HEX_DIGITS[rest % 10];
  }
  return end;
}

function countDigits(number: number): number {
  let digits = 1;
  for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) digits++;
  return digits;
}
