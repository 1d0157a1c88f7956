/**
 * Points as text: coordinates in hex, big endian, 96 digits each, in the order x, y; of G2 the c1 part before the c0 part.
 * That is ZCash's uncompressed form without flags. Files hold them little endian in Montgomery form with R = 2^384.
 */
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { BASE_FIELD_MODULUS as Q } from "../../core/proof_codec.ts";
import { bytesToBigint } from "../../core/field.ts";
import { G1_BYTES } from "./powers.ts";

const COORDINATE_BYTES = 48;
const R = 2n ** 384n % Q;
/** 1 / R, by Fermat. */
const R_INVERSE = power(R, Q - 2n);

/** The coordinates of a point's bytes: x, y, or x.c0, x.c1, y.c0, y.c1. */
export function coordinates(point: Uint8Array): bigint[] {
  return Array.from({ length: point.length / COORDINATE_BYTES }, (_, i) => {
    const part = point.slice(i * COORDINATE_BYTES, (i + 1) * COORDINATE_BYTES);
    return bytesToBigint(part.reverse()) * R_INVERSE % Q;
  });
}

/** A point as text. */
export function pointText(point: Uint8Array): string {
  return bytesToHex(concatenated(ordered(coordinates(point))));
}

/** A point's bytes from text; coordinates that are not below q give a point that is not the text's. */
export function pointBytes(text: string): Uint8Array {
  const plain = hexToBytes(text);
  const parts = Array.from(
    { length: plain.length / COORDINATE_BYTES },
    (_, i) => bytesToBigint(plain.slice(i * COORDINATE_BYTES, (i + 1) * COORDINATE_BYTES)),
  );
  const bytes = concatenated(ordered(parts).map((x) => x * R % Q).reverse());
  return bytes.reverse();
}

/** c0, c1 to c1, c0 and back; of G1 nothing changes. */
function ordered(parts: readonly bigint[]): bigint[] {
  if (parts.length * COORDINATE_BYTES === G1_BYTES) return [...parts];
  const [a, b, c, d] = parts;
  return [b, a, d, c];
}

function concatenated(parts: readonly bigint[]): Uint8Array {
  return hexToBytes(parts.map((x) => x.toString(16).padStart(2 * COORDINATE_BYTES, "0")).join(""));
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = result * square % Q;
    square = square * square % Q;
  }
  return result;
}
