/**
 * The sums of both shipped modules over forged keys: extreme and degenerate points and scalars, compared with
 * noble-curves. The crate's own tests run natively; this one runs the WebAssembly, with its carries in
 * simd128.
 */
import assert from "node:assert/strict";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import fc from "fast-check";
import { DOMAIN_SIZE, syntheticZkey, witnessBytes } from "../../support/prover/synthetic_zkey.ts";
import {
  computePoints,
  computeProgression,
  computeSum,
  type CurvePoints,
  g1Bytes,
  g2Bytes,
  type KnownPoint,
  parseG1,
  parseG2,
} from "../../support/prover/known_points.ts";
import { createPieceProver, kernelVariants, loadProverKernel } from "../../support/prover/prover_kernels.ts";
import { isDeep, propertyParameters, seed } from "../../../testkit/random/property_runs.ts";
import { FIELD_MODULUS as R } from "../../../src/core/crypto/field.ts";
import type { MsmShare } from "../../../src/prover/prover_task.ts";

const { Fr } = bls12_381.fields;
const G2_BYTES = 192;

type Kernels = Awaited<ReturnType<typeof loadProverKernel>>;

/** The terms of a sum: points, each times a scalar below r. */
interface Terms {
  readonly known: readonly KnownPoint[];
  /** The points themselves, if they are known. */
  readonly pairs?: readonly CurvePoints[];
  readonly scalars: readonly bigint[];
}

const bits = Array.from({ length: 255 }, (_, bit) => 1n << BigInt(bit));
/** Scalars at the limits of the field, of words and windows, and of the digits' signs. */
const edges: readonly bigint[] = [
  ...[0n, 1n, 2n, R - 1n, R - 2n, (R - 1n) / 2n, (R + 1n) / 2n, R >> 1n, 0xffffffffn, (1n << 64n) - 1n],
  ...bits.filter((bit) => bit < R).flatMap((bit) => [bit, bit - 1n, R - bit]),
];

const zero: KnownPoint = { k: 0n, t: 0 };
const points: readonly KnownPoint[] = [
  zero, // infinity
  ...[1n, 2n, 3n, R - 1n, R - 2n, 0x123456789abcdef0n ** 3n % R].map((k) => ({ k, t: 0 })),
  ...[{ k: 0n, t: 1 }, { k: 0n, t: 2 }, { k: 1n, t: 1 }, { k: R - 1n, t: 2 }], // outside the subgroup
];
const known = (...ks: bigint[]) => ks.map((k): KnownPoint => ({ k: (k + R) % R, t: 0 }));
const scalar = fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min: 0n, max: R - 1n }));
const many = (count: number) => fc.sample(fc.bigInt({ min: 0n, max: R - 1n }), { numRuns: count, seed });
const filled = <T>(count: number, at: (i: number) => T) => Array.from({ length: count }, (_, i) => at(i));

/** In every case the first scalar is 1, as in every witness. */
const cases: [name: string, terms: Terms][] = [
  ["one term", { known: known(5n), scalars: [1n] }],
  ["all points infinity", { known: filled(40, () => zero), scalars: [1n, ...many(39)] }],
  ["all scalars but the first 0", {
    known: known(...filled(40, BigInt)),
    scalars: [1n, ...filled(39, () => 0n)],
  }],
  ["all scalars 1", { known: known(...filled(70, BigInt)), scalars: filled(70, () => 1n) }],
  ["all scalars r - 1", { known: known(...filled(70, BigInt)), scalars: [1n, ...filled(69, () => R - 1n)] }],
  ["one point, one scalar", {
    known: known(...filled(70, () => 7n)),
    scalars: filled(70, (i) => i ? R - 1n : 1n),
  }],
  ["opposites in turns", {
    known: known(...filled(70, (i) => i % 2 ? -7n : 7n)),
    scalars: filled(70, () => 1n),
  }],
  ["every scalar at an edge", {
    known: known(...filled(edges.length + 1, (i) => BigInt(i % 11) - 5n)),
    scalars: [1n, ...edges],
  }],
  ["every scalar at an edge, one point", {
    known: known(...filled(edges.length + 1, () => 1n)),
    scalars: [1n, ...edges],
  }],
  ["a point of order 3 only", {
    known: filled(50, () => ({ k: 0n, t: 1 })),
    scalars: [1n, ...edges.slice(0, 49)],
  }],
  ["doublings that meet in buckets", {
    known: known(...bits.slice(0, 60)),
    scalars: [1n, ...filled(59, (i) => bits[59 - i])],
  }],
];

/** The sums, computed whole or in this number of parts. */
const pieces = [{ piece: "a", parts: 1 }, { piece: "b1", parts: 2 }, { piece: "b2", parts: 3 }, {
  piece: "c",
  parts: 2,
}] as const;

/** Compares every sum of a key over these points, whole or in parts, with its expected value. */
function holds(kernels: Kernels, { known, pairs, scalars }: Terms, constant = zero): void {
  const witness = witnessBytes(scalars);
  const sum = createPieceProver(kernels, syntheticZkey(pairs ?? known.map(pairAt), pairAt(constant)));
  const sumOf = (piece: MsmShare["msm"], parts: number) =>
    filled(parts, (part) => sum({ msm: piece, part, partCount: parts }, witness));
  const all = computeSum([...known, constant], [...scalars, 1n]);
  const expected = {
    a: g1Bytes(all.g1),
    b1: g1Bytes(all.g1),
    b2: g2Bytes(all.g2),
    c: g1Bytes(computeSum(known.slice(1), scalars.slice(1)).g1),
  };
  for (const { piece, parts } of pieces) {
    assert.deepEqual(sumOf(piece, 1)[0], expected[piece], piece);
    if (known.length < 1000) assert.deepEqual(added(sumOf(piece, parts)), expected[piece], piece);
  }
  const h = computeSum(filled(DOMAIN_SIZE, (i) => known[i % known.length]), quotient(scalars));
  assert.deepEqual(sumOf("h", 1)[0], g1Bytes(h.g1), "h");
}

/** Returns the sum of points in the module's encoding, of G1 or of G2. */
function added(parts: readonly Uint8Array[]): Uint8Array {
  if (parts[0].length === G2_BYTES) return g2Bytes(parts.map(parseG2).reduce((sum, point) => sum.add(point)));
  return g1Bytes(parts.map(parseG1).reduce((sum, point) => sum.add(point)));
}

/** Returns the key's scalars of H: a b - c on the odd coset, by the definition of interpolation. */
function quotient(scalars: readonly bigint[]): bigint[] {
  const left = filled(DOMAIN_SIZE, (row) => scalars[row % scalars.length]);
  const right = filled(DOMAIN_SIZE, (row) => scalars[(row + 1) % scalars.length]);
  const [a, b, c] = [left, right, left.map((x, i) => Fr.mul(x, right[i]))].map(onOddCoset);
  return a.map((x, i) => Fr.sub(Fr.mul(x, b[i]), c[i]));
}

/**
 * Returns a polynomial's values at the odd powers of the root of twice the order, given those at the even
 * powers.
 */
function onOddCoset(values: readonly bigint[]): bigint[] {
  const root = Fr.pow(5n, (R - 1n) / BigInt(2 * DOMAIN_SIZE)); // 5 is the smallest non-residue
  const sum = (terms: readonly bigint[]) => terms.reduce((sum, term) => Fr.add(sum, term), 0n);
  const coefficients = values.map((_, j) =>
    Fr.div(
      sum(values.map((y, i) => Fr.mul(y, Fr.pow(root, BigInt(2 * i * (2 * DOMAIN_SIZE - j)))))),
      BigInt(DOMAIN_SIZE),
    )
  );
  return values.map((_, i) =>
    sum(coefficients.map((x, j) => Fr.mul(x, Fr.pow(root, BigInt((2 * i + 1) * j)))))
  );
}

const made = new Map<string, CurvePoints>();

function pairAt(point: KnownPoint): CurvePoints {
  const name = `${point.k} ${point.t}`;
  const pair = made.get(name) ?? computePoints(point);
  made.set(name, pair);
  return pair;
}

for (const { variant, ignore } of kernelVariants) {
  for (const [name, terms] of cases) {
    Deno.test({
      name: `the ${variant} prover's sums equal noble's: ${name}`,
      ignore,
      fn: async () => holds(await loadProverKernel(variant), terms),
    });
  }

  Deno.test({
    name: `the ${variant} prover's sums equal noble's when they are infinity, with or without a constant`,
    ignore,
    async fn() {
      const kernels = await loadProverKernel(variant);
      for (const constant of known(-12n, 12n)) {
        holds(kernels, { known: known(3n, 4n, 5n), scalars: [1n, 1n, 1n] }, constant);
      }
      holds(kernels, { known: known(3n, 4n, -7n), scalars: [1n, 1n, 1n] });
      holds(kernels, { known: known(3n, 4n, -4n), scalars: [1n, R - 1n, R - 1n] });
    },
  });

  Deno.test({
    name: `the ${variant} prover's sums equal noble's for any points and scalars`,
    ignore,
    async fn() {
      const kernels = await loadProverKernel(variant);
      const term = fc.tuple(fc.constantFrom(...points), scalar);
      fc.assert(
        fc.property(fc.array(term, { minLength: 1, maxLength: 60 }), (terms) => {
          const scalars = terms.map(([, scalar], i) => i === 0 ? 1n : scalar);
          holds(kernels, { known: terms.map(([point]) => point), scalars });
        }),
        propertyParameters(15),
      );
    },
  });

  Deno.test({
    name: `the ${variant} prover's sums equal noble's for hundreds of terms`,
    ignore,
    async fn() {
      const [first, step] = many(2);
      const terms = computeProgression(600, first, step);
      holds(await loadProverKernel(variant), { ...terms, scalars: [1n, ...many(599)] });
    },
  });

  if (isDeep) {
    Deno.test({
      name: `the ${variant} prover's sums equal noble's for tens of thousands of terms`,
      ignore,
      async fn() {
        const kernels = await loadProverKernel(variant);
        for (const count of [8_192, 30_000]) {
          const [first, step] = many(2);
          const terms = computeProgression(count, first, step);
          holds(kernels, { ...terms, scalars: [1n, ...many(count - 1)] });
          const half = many(count).map((x, i) => i === 0 ? 1n : i % 2 ? x : edges[i % edges.length]);
          holds(kernels, { ...terms, scalars: half });
        }
      },
    });
  }

  Deno.test({
    name: `the ${variant} prover refuses a witness with a value of r or above, and continues to work`,
    ignore,
    async fn() {
      const key = syntheticZkey(known(1n, 2n, 3n).map(pairAt), pairAt(zero));
      const sum = createPieceProver(await loadProverKernel(variant), key);
      const sumOf = (...witness: bigint[]) => sum({ msm: "a", part: 0, partCount: 1 }, witnessBytes(witness));
      for (const value of [R, R + 1n, 2n * R, (1n << 255n) - 1n, (1n << 256n) - 1n]) {
        for (const witness of [[1n, value, 0n], [1n, 0n, value]]) {
          assert.throws(() => sumOf(...witness), /no field element/);
        }
      }
      for (const witness of [[0n, 1n, 1n], [2n, 1n, 1n], [R + 1n, 1n, 1n]]) {
        assert.throws(() => sumOf(...witness), /does not begin with 1/);
      }
      assert.deepEqual(sumOf(1n, R - 1n, R - 1n), g1Bytes(pairAt({ k: R - 4n, t: 0 }).g1));
    },
  });
}
