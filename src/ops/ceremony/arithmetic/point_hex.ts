// Points as hex text: big endian, c1 before c0 in G2, as ZCash's uncompressed form without flags.
// Files have them little endian in Montgomery form with R = 2^384.
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { BASE_FIELD_MODULUS as Q } from "../../../core/crypto/proof_codec.ts";
import { bytesToBigint } from "../../../core/crypto/field.ts";
import { COORDINATE_BYTES, G1_BYTES } from "./points.ts";
import { transcriptFault } from "../faults.ts";

const MONTGOMERY_R = 2n ** 384n % Q;
const MONTGOMERY_R_INVERSE = bls12_381.fields.Fp.inv(MONTGOMERY_R);

/** Returns x, y in G1 or x.c0, x.c1, y.c0, y.c1 in G2. Throws `invalid_ceremony` unless they are below q. */
export function pointCoordinates(point: Uint8Array, what = "point"): bigint[] {
  return Array.from({ length: point.length / COORDINATE_BYTES }, (_, i) => {
    const part = point.slice(i * COORDINATE_BYTES, (i + 1) * COORDINATE_BYTES);
    return assertBelowQ(bytesToBigint(part.reverse()), what) * MONTGOMERY_R_INVERSE % Q;
  });
}

export function pointToHex(point: Uint8Array): string {
  return bytesToHex(concatCoordinates(swapExtensionOrder(pointCoordinates(point))));
}

/** Throws `invalid_ceremony` for a coordinate not below q: a point would have two encodings. */
export function pointFromHex(text: string, what = "point"): Uint8Array {
  const plain = hexToBytes(text);
  const parts = Array.from(
    { length: plain.length / COORDINATE_BYTES },
    (_, i) =>
      assertBelowQ(bytesToBigint(plain.slice(i * COORDINATE_BYTES, (i + 1) * COORDINATE_BYTES)), what),
  );
  const bytes = concatCoordinates(swapExtensionOrder(parts).map((x) => x * MONTGOMERY_R % Q).reverse());
  return bytes.reverse();
}

function assertBelowQ(coordinate: bigint, what: string): bigint {
  if (coordinate < Q) return coordinate;
  throw transcriptFault(what, "coordinate_not_canonical");
}

function swapExtensionOrder(parts: readonly bigint[]): bigint[] {
  if (parts.length * COORDINATE_BYTES === G1_BYTES) return [...parts];
  const [a, b, c, d] = parts;
  return [b, a, d, c];
}

function concatCoordinates(parts: readonly bigint[]): Uint8Array {
  return hexToBytes(parts.map((x) => x.toString(16).padStart(2 * COORDINATE_BYTES, "0")).join(""));
}
