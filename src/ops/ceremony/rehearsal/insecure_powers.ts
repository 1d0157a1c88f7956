/** Powers of tau from public secrets, for rehearsals and tests. Anyone can forge proofs for their keys. */
import { concatBytes } from "@noble/hashes/utils.js";
import { normalizeZ } from "@noble/curves/abstract/curve.js";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { FIELD_MODULUS } from "../../../core/crypto/field.ts";
import { pointFromHex } from "../arithmetic/point_hex.ts";
import { BASE_FIELD_BYTES, COORDINATE_BYTES } from "../arithmetic/points.ts";
import { u32, writeSections } from "../section_file.ts";

const { G1, G2, fields: { Fr } } = bls12_381;
const TAU = 0x1234567890abcdef1234567890abcdef1234567890abcdefn;
const ALPHA = 0xfedcba9876543210n ** 3n % FIELD_MODULUS;
const BETA = 0x0123456789abcdefn ** 4n % FIELD_MODULUS;

export function insecurePowersOfTau(power: number): Uint8Array {
  const rows = 2 ** power;
  const tau = powers(2 * rows - 1);
  const first = tau.slice(0, rows);
  const levels = Array.from({ length: power + 1 }, (_, level) => lagrange(level)).flat();
  const twice = lagrange(power + 1);
  // The file lacks the highest power, so its term is subtracted from the polynomials of the doubled domain.
  const highest = Fr.mul(Fr.pow(TAU, BigInt(2 * rows - 1)), Fr.inv(BigInt(2 * rows)));
  const cut = twice.map((x, i) => Fr.sub(x, Fr.mul(highest, Fr.pow(root(power + 1), BigInt(i)))));
  const times = (list: readonly bigint[], factor: bigint) => list.map((x) => Fr.mul(x, factor));
  const header = concatBytes(u32(COORDINATE_BYTES), BASE_FIELD_BYTES, u32(power), u32(power));
  const sections: [id: number, content: Uint8Array][] = [
    [1, header],
    [2, g1(tau)],
    [3, g2(first)],
    [4, g1(times(first, ALPHA))],
    [5, g1(times(first, BETA))],
    [6, g2([BETA])],
    [7, u32(0)],
    [12, g1([...levels, ...cut])],
    [13, g2(levels)],
    [14, g1(times(levels, ALPHA))],
    [15, g1(times(levels, BETA))],
  ];
  return writeSections("ptau", sections);
}

function powers(count: number): bigint[] {
  const list = [1n];
  while (list.length < count) list.push(Fr.mul(list[list.length - 1], TAU));
  return list;
}

/** The root of unity of order 2^log that snarkjs uses: a power of 5, the smallest non-residue. */
function root(log: number): bigint {
  let root = Fr.pow(5n, (FIELD_MODULUS - 1n) >> 32n);
  for (let i = log; i < 32; i++) root = Fr.sqr(root);
  return root;
}

/** The Lagrange polynomials of the domain of order n = 2^log at tau: (tau^n - 1) w^i / (n (tau - w^i)). */
function lagrange(log: number): bigint[] {
  const n = 2 ** log;
  const w = root(log);
  const factor = Fr.mul(Fr.sub(Fr.pow(TAU, BigInt(n)), 1n), Fr.inv(BigInt(n)));
  const points = [1n];
  while (points.length < n) points.push(Fr.mul(points[points.length - 1], w));
  const inverses = Fr.invertBatch(points.map((point) => Fr.sub(TAU, point)));
  return points.map((point, i) => Fr.mul(Fr.mul(factor, point), inverses[i]));
}

function g1(scalars: readonly bigint[]): Uint8Array {
  const points = normalizeZ(G1.Point, scalars.map((x) => G1.Point.BASE.multiply(x)));
  return concatBytes(...points.map((point) => pointFromHex(point.toHex(false))));
}

function g2(scalars: readonly bigint[]): Uint8Array {
  const points = normalizeZ(G2.Point, scalars.map((x) => G2.Point.BASE.multiply(x)));
  return concatBytes(...points.map((point) => pointFromHex(point.toHex(false))));
}
