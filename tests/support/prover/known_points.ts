/**
 * Points of both curves whose sums are known without addition: k times the generator plus t times a point of
 * small order, which lies outside the subgroup. Also encodes keys and proofs.
 */
import { normalizeZ } from "@noble/curves/abstract/curve.js";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bytesToBigint, FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { pointFromHex } from "../../../src/ops/ceremony/arithmetic/point_hex.ts";
import { offSubgroupG2 } from "./off_subgroup_points.ts";

const { G1, G2 } = bls12_381;

/** The factors of a point, the same in both groups. k = t = 0 is infinity. */
export interface KnownPoint {
  /** From 0 to r - 1. */
  readonly k: bigint;
  /** From 0 to 2. */
  readonly t: number;
}

/** A point in G1 and in G2. */
export interface CurvePoints {
  readonly g1: G1Point;
  readonly g2: G2Point;
}

export type G1Point = InstanceType<typeof G1.Point>;
export type G2Point = InstanceType<typeof G2.Point>;

/** The order of {@linkcode smallG1}. */
export const SMALL_ORDER_G1 = 3n;
/** The order of {@linkcode smallG2}. The curve of G2 has no point of order 3. */
export const SMALL_ORDER_G2 = 13n;
export const smallG1 = G1.Point.fromAffine({ x: 0n, y: 2n });
export const smallG2 = pointOfOrder13();

/** Returns k times the generator plus t times the point of small order, in both groups. */
export function computePoints({ k, t }: KnownPoint): CurvePoints {
  return {
    g1: times(G1.Point.BASE, k).add(multiple(smallG1, BigInt(t) % SMALL_ORDER_G1)),
    g2: times(G2.Point.BASE, k).add(multiple(smallG2, BigInt(t) % SMALL_ORDER_G2)),
  };
}

/** Returns the sum of scalars times points. Scalars are from 0 to r - 1. */
export function computeSum(points: readonly KnownPoint[], scalars: readonly bigint[]): CurvePoints {
  let [k, t] = [0n, 0n];
  for (const [i, point] of points.entries()) {
    k = (k + scalars[i] * point.k) % FIELD_MODULUS;
    t += scalars[i] * BigInt(point.t);
  }
  return {
    g1: times(G1.Point.BASE, k).add(multiple(smallG1, t % SMALL_ORDER_G1)),
    g2: times(G2.Point.BASE, k).add(multiple(smallG2, t % SMALL_ORDER_G2)),
  };
}

/** Returns `count` points at equal steps, which is cheap for many points. */
export function computeProgression(
  count: number,
  first: bigint,
  step: bigint,
): { known: KnownPoint[]; pairs: CurvePoints[] } {
  const known: KnownPoint[] = [];
  let { g1, g2 } = computePoints({ k: first, t: 0 });
  const by = computePoints({ k: step, t: 0 });
  const [all1, all2]: [G1Point[], G2Point[]] = [[], []];
  for (let i = 0; i < count; i++) {
    known.push({ k: (first + BigInt(i) * step) % FIELD_MODULUS, t: 0 });
    all1.push(g1);
    all2.push(g2);
    [g1, g2] = [g1.add(by.g1), g2.add(by.g2)];
  }
  const [affine1, affine2] = [normalizeZ(G1.Point, all1), normalizeZ(G2.Point, all2)];
  return { known, pairs: affine1.map((g1, i) => ({ g1, g2: affine2[i] })) };
}

/**
 * Encodes a point as the WebAssembly module expects it in proofs and verification keys: big endian, infinity all
 * zeros.
 */
export function g1Bytes(point: G1Point): Uint8Array<ArrayBuffer> {
  return fromHex(g1Hex(point));
}

/** Works like {@linkcode g1Bytes}, with c0 before c1. */
export function g2Bytes(point: G2Point): Uint8Array<ArrayBuffer> {
  if (point.is0()) return new Uint8Array(192);
  const { x, y } = point.toAffine();
  return fromHex([x.c0, x.c1, y.c0, y.c1].map(hex).join(""));
}

/** Reverses {@linkcode g1Bytes}. */
export function parseG1(bytes: Uint8Array): G1Point {
  const [x, y] = coordinates(bytes);
  return x === 0n && y === 0n ? G1.Point.ZERO : G1.Point.fromAffine({ x, y });
}

/** Reverses {@linkcode g2Bytes}. */
export function parseG2(bytes: Uint8Array): G2Point {
  const [x0, x1, y0, y1] = coordinates(bytes);
  if ([x0, x1, y0, y1].every((part) => part === 0n)) return G2.Point.ZERO;
  return G2.Point.fromAffine({ x: { c0: x0, c1: x1 }, y: { c0: y0, c1: y1 } });
}

function coordinates(bytes: Uint8Array): bigint[] {
  return Array.from(
    { length: bytes.length / 48 },
    (_, i) => bytesToBigint(bytes.slice(48 * i, 48 * (i + 1))),
  );
}

/** Encodes a point as a proving key holds it: little endian, in Montgomery form. */
export function g1KeyBytes(point: G1Point): Uint8Array {
  return pointFromHex(g1Hex(point));
}

/** Works like {@linkcode g1KeyBytes}, for G2. */
export function g2KeyBytes(point: G2Point): Uint8Array {
  if (point.is0()) return new Uint8Array(192);
  const { x, y } = point.toAffine();
  return pointFromHex([x.c1, x.c0, y.c1, y.c0].map(hex).join(""));
}

function g1Hex(point: G1Point): string {
  if (point.is0()) return "0".repeat(192);
  const { x, y } = point.toAffine();
  return [x, y].map(hex).join("");
}

/** Multiplies the generator. noble does not accept the scalar 0. */
function times<Point extends G1Point | G2Point>(base: Point, k: bigint): Point {
  return (k === 0n ? base.subtract(base as never) : base.multiply(k)) as Point;
}

/** Multiplies a point of any order, by doubling and adding. */
function multiple<Point extends { add(other: Point): Point; double(): Point; subtract(other: Point): Point }>(
  point: Point,
  times: bigint,
): Point {
  let sum = point.subtract(point); // infinity
  for (let [rest, power] = [times, point]; rest > 0n; [rest, power] = [rest >> 1n, power.double()]) {
    if (rest & 1n) sum = sum.add(power);
  }
  return sum;
}

function pointOfOrder13(): G2Point {
  const [[x0, x1], [y0, y1]] = offSubgroupG2();
  const point = G2.Point.fromAffine({
    x: { c0: BigInt(x0), c1: BigInt(x1) },
    y: { c0: BigInt(y0), c1: BigInt(y1) },
  });
  const { h } = G2.Point.CURVE();
  let rest = h * FIELD_MODULUS;
  while (rest % SMALL_ORDER_G2 === 0n) rest /= SMALL_ORDER_G2;
  let small = multiple(point, rest);
  while (!multiple(small, SMALL_ORDER_G2).is0()) small = multiple(small, SMALL_ORDER_G2);
  if (small.is0()) throw new Error("the stray point has no part of order 13");
  return small;
}

function hex(x: bigint): string {
  return x.toString(16).padStart(96, "0");
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
}
