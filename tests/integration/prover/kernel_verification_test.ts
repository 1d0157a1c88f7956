/**
 * Verification by both shipped modules, with keys whose secrets are known: proofs that hold for extreme
 * signals and degenerate sums, and bytes that an attacker would send. The results are compared with the
 * equation itself, and with noble-curves' pairing.
 */
import { concatBytes } from "@noble/hashes/utils.js";
import assert from "node:assert/strict";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import fc from "fast-check";
import {
  computePoints,
  g1Bytes,
  type G1Point,
  g2Bytes,
  parseG1,
  parseG2,
  smallG1,
  smallG2,
} from "../../support/prover/known_points.ts";
import { kernelVariants, loadProverKernel } from "../../support/prover/prover_kernels.ts";
import { propertyParameters } from "../../../testkit/random/property_runs.ts";
import { FIELD_MODULUS as R } from "../../../src/core/crypto/field.ts";
import { BASE_FIELD_MODULUS as Q } from "../../../src/core/crypto/proof_codec.ts";

const { fields: { Fr, Fp12 } } = bls12_381;

type Kernels = Awaited<ReturnType<typeof loadProverKernel>>;

/** The secrets of a key. `ic` has those of the constant and of each signal. */
interface Secrets {
  readonly alpha: bigint;
  readonly beta: bigint;
  readonly gamma: bigint;
  readonly delta: bigint;
  readonly ic: readonly bigint[];
}

const secrets: Secrets = { alpha: 5n, beta: 7n, gamma: 11n, delta: R - 13n, ic: [17n, 19n, R - 23n] };
const COORDINATE = 48;

const g1 = (k: bigint) => g1Bytes(computePoints({ k, t: 0 }).g1);
const g2 = (k: bigint) => g2Bytes(computePoints({ k, t: 0 }).g2);

function keyBytes({ alpha, beta, gamma, delta, ic }: Secrets): Uint8Array<ArrayBuffer> {
  return concatBytes(g1(alpha), g2(beta), g2(gamma), g2(delta), ...ic.map(g1));
}

/** Returns the discrete logarithm of the sum of the signals. */
function publicSum({ ic }: Secrets, signals: readonly bigint[]): bigint {
  return signals.reduce((sum, x, i) => Fr.add(sum, Fr.mul(x, ic[i + 1])), ic[0]);
}

/** Returns the c that completes a valid proof with A = a and B = b. */
function completing(secrets: Secrets, a: bigint, b: bigint, signals: readonly bigint[]): bigint {
  const { alpha, beta, gamma, delta } = secrets;
  return Fr.div(Fr.create(a * b - alpha * beta - publicSum(secrets, signals) * gamma), delta);
}

function signalBytes(signals: readonly bigint[]): Uint8Array<ArrayBuffer> {
  return concatBytes(...signals.map((x) => bigEndian(x, 32)));
}

function bigEndian(x: bigint, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => Number((x >> BigInt(8 * (length - 1 - i))) & 0xffn));
}

/**
 * Checks Groth16's equation with noble's pairing, for points other than infinity. A sum of signals at
 * infinity counts as 1.
 */
function nobleHolds(secrets: Secrets, proof: Uint8Array, signals: readonly bigint[]): boolean {
  const [a, b, c] = [proof.slice(0, 96), proof.slice(96, 288), proof.slice(288)];
  const sum = publicSum(secrets, signals);
  const pairs = [
    { g1: parseG1(a).negate(), g2: parseG2(b) },
    { g1: parseG1(g1(secrets.alpha)), g2: parseG2(g2(secrets.beta)) },
    ...sum === 0n ? [] : [{ g1: parseG1(g1(sum)), g2: parseG2(g2(secrets.gamma)) }],
    { g1: parseG1(c), g2: parseG2(g2(secrets.delta)) },
  ];
  return Fp12.eql(bls12_381.pairingBatch(pairs), Fp12.ONE);
}

const edges = [0n, 1n, 2n, R - 1n, R - 2n, (R - 1n) / 2n, 1n << 254n, (1n << 64n) - 1n];
const signal = fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min: 0n, max: R - 1n }));
const nonZero = signal.map((x) => x === 0n ? 1n : x);

/** An honest proof for the extreme signals r - 1 and 0. */
const signals = [R - 1n, 0n];
const [a, b] = [R - 1n, R - 2n];
const c = completing(secrets, a, b, signals);
const proof = concatBytes(g1(a), g2(b), g1(c));

/** Returns the proof with other bytes at an offset. */
const withBytes = (offset: number, bytes: Uint8Array) => {
  const other = proof.slice();
  other.set(bytes, offset);
  return other;
};
const coordinateOf = (i: number) =>
  proof.slice(i * COORDINATE, (i + 1) * COORDINATE).reduce((x, byte) => (x << 8n) | BigInt(byte), 0n);
const eachCoordinate = (alter: (x: bigint) => bigint) =>
  Array.from(
    { length: 8 },
    (_, i) => withBytes(i * COORDINATE, bigEndian(alter(coordinateOf(i)), COORDINATE)),
  );
const shifted = (offset: number, by: G1Point) =>
  withBytes(offset, g1Bytes(parseG1(proof.slice(offset, offset + 96)).add(by)));

const refusedProofs: [attack: string, proofs: Uint8Array[]][] = [
  [
    "a coordinate plus multiples of q",
    [1n, 2n, 3n, 4n, 5n, 6n].flatMap((m) => eachCoordinate((x) => x + m * Q)),
  ],
  ["a coordinate is q, or more", [Q, Q + 1n, (1n << 384n) - 1n].flatMap((x) => eachCoordinate(() => x))],
  ["a coordinate is 0", eachCoordinate(() => 0n)],
  ["a coordinate is negated", eachCoordinate((x) => Q - x)],
  [
    "a flag of a compressed form is set",
    [7, 6, 5].flatMap((bit) => eachCoordinate((x) => x | 1n << BigInt(376 + bit))),
  ],
  ["a point is infinity", [
    ...[
      withBytes(0, new Uint8Array(96)),
      withBytes(96, new Uint8Array(192)),
      withBytes(288, new Uint8Array(96)),
    ],
    new Uint8Array(384),
  ]],
  ["a point is of small order", [
    ...[0, 288].flatMap((at) => [withBytes(at, g1Bytes(smallG1)), withBytes(at, g1Bytes(smallG1.negate()))]),
    withBytes(96, g2Bytes(smallG2)),
  ]],
  ["a point is shifted by one of small order, which no pairing sees", [
    ...[0, 288].flatMap((at) => [shifted(at, smallG1), shifted(at, smallG1.negate())]),
    withBytes(96, g2Bytes(parseG2(g2(b)).add(smallG2))),
  ]],
  ["A and C are swapped", [concatBytes(g1(c), g2(b), g1(a))]],
  ["the halves of B's coordinates are swapped", [
    concatBytes(
      g1(a),
      proof.slice(144, 192),
      proof.slice(96, 144),
      proof.slice(240, 288),
      proof.slice(192, 240),
      g1(c),
    ),
  ]],
  ["it is of another length", [
    ...[
      new Uint8Array(),
      proof.slice(1),
      proof.slice(0, 383),
      proof.slice(0, 288),
      concatBytes(proof, Uint8Array.of(0)),
    ],
  ]],
];

for (const { variant, ignore } of kernelVariants) {
  const test = (name: string, run: (kernels: Kernels) => void) =>
    Deno.test({
      name: `the ${variant} verifier ${name}`,
      ignore,
      fn: async () => run(await loadProverKernel(variant)),
    });

  test("accepts valid proofs of any signals, and no others", ({ Verifier }) =>
    fc.assert(
      fc.property(
        fc.record({
          alpha: nonZero,
          beta: nonZero,
          gamma: nonZero,
          delta: nonZero,
          ic: fc.tuple(nonZero, nonZero, nonZero),
        }),
        fc.tuple(nonZero, nonZero, signal, signal),
        fc.tuple(nonZero, fc.nat(3)),
        (secrets, [a, b, one, two], [by, what]) => {
          const c = completing(secrets, a, b, [one, two]);
          fc.pre(c !== 0n);
          const verifier = new Verifier(keyBytes(secrets));
          const holds = (a: bigint, b: bigint, c: bigint, signals: readonly bigint[]) => {
            const proof = concatBytes(g1(a), g2(b), g1(c));
            const expected = completing(secrets, a, b, signals) === c;
            assert.equal(nobleHolds(secrets, proof, signals), expected);
            assert.equal(verifier.verify(proof, signalBytes(signals)), expected);
            return expected;
          };
          assert(holds(a, b, c, [one, two]));
          assert(holds(R - a, R - b, c, [one, two]));
          const changed = [a, b, c, one].map((x, i) => i === what ? Fr.add(x, by) : x);
          if (changed.slice(0, 3).every((x) => x !== 0n)) {
            const [a, b, c, one] = changed;
            holds(a, b, c, [one, two]);
          }
          verifier.free();
        },
      ),
      propertyParameters(6),
    ));

  test("accepts a proof whose signals add up to infinity, and refuses one whose C is infinity", ({ Verifier }) => {
    const verifier = new Verifier(keyBytes(secrets));
    const two = 3n;
    const one = Fr.div(Fr.neg(Fr.add(secrets.ic[0], Fr.mul(two, secrets.ic[2]))), secrets.ic[1]);
    assert.equal(publicSum(secrets, [one, two]), 0n);
    const proof = concatBytes(g1(a), g2(b), g1(completing(secrets, a, b, [one, two])));
    assert(nobleHolds(secrets, proof, [one, two]));
    assert.equal(verifier.verify(proof, signalBytes([one, two])), true);
    assert.equal(verifier.verify(proof, signalBytes([one, two + 1n])), false);

    const sum = Fr.add(
      Fr.mul(secrets.alpha, secrets.beta),
      Fr.mul(publicSum(secrets, signals), secrets.gamma),
    );
    assert.equal(completing(secrets, sum, 1n, signals), 0n);
    assert.equal(
      verifier.verify(concatBytes(g1(sum), g2(1n), new Uint8Array(96)), signalBytes(signals)),
      false,
    );
    verifier.free();
  });

  for (const [attack, proofs] of refusedProofs) {
    test(`refuses a proof when ${attack}`, ({ Verifier }) => {
      const verifier = new Verifier(keyBytes(secrets));
      for (const other of proofs) {
        assert.notDeepEqual(other, proof);
        assert.equal(verifier.verify(other, signalBytes(signals)), false);
      }
      assert.equal(verifier.verify(proof, signalBytes(signals)), true);
      verifier.free();
    });
  }

  test("accepts r - 1 as a signal, and neither r nor any larger value", ({ Verifier }) => {
    const verifier = new Verifier(keyBytes(secrets));
    assert.equal(verifier.verify(proof, signalBytes(signals)), true);
    const others = [[2n * R - 1n, 0n], [R - 1n, R], [R - 1n, 2n * R], [R - 1n, (1n << 256n) - 1n], [R, 0n], [
      0n,
      R - 1n,
    ]];
    for (const other of others) assert.equal(verifier.verify(proof, signalBytes(other)), false);
    for (const other of [[], [R - 1n], [R - 1n, 0n, 0n]]) {
      assert.equal(verifier.verify(proof, signalBytes(other)), false);
    }
    assert.equal(verifier.verify(proof, signalBytes(signals).slice(1)), false);
    verifier.free();
  });

  test("refuses a key with a point at infinity, of small order or with a coordinate plus q", ({ Verifier }) => {
    const key = keyBytes(secrets);
    const at = { alpha: 0, beta: 96, gamma: 288, delta: 480, ic0: 672, ic2: 864 };
    const inG2 = ["beta", "gamma", "delta"];
    for (const [name, offset] of Object.entries(at)) {
      const small = inG2.includes(name) ? g2Bytes(smallG2) : g1Bytes(smallG1);
      const first = key.slice(offset, offset + COORDINATE).reduce((x, byte) => (x << 8n) | BigInt(byte), 0n);
      for (const bytes of [small, new Uint8Array(small.length), bigEndian(first + Q, COORDINATE)]) {
        const other = key.slice();
        other.set(bytes, offset);
        assert.throws(() => new Verifier(other), /malformed/, name);
      }
    }
    assert.throws(() => new Verifier(key.slice(0, 672)), /malformed/);
    assert.throws(() => new Verifier(key.slice(1)), /malformed/);
  });
}
