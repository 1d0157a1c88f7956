/**
 * Proofs that a verifier must reject: valid proofs with points replaced by other points, by infinity, or by bytes
 * that encode no point.
 */
import assert from "node:assert/strict";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import type { Cell } from "@ton/core";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { BASE_FIELD_MODULUS, compressG1, compressG2 } from "../../../src/core/crypto/proof_codec.ts";
import { offSubgroupG1, offSubgroupG2 } from "../prover/off_subgroup_points.ts";
import { proofCell } from "../../../testkit/chain/trapdoor_keys.ts";

const { G1, G2 } = bls12_381;

/** The compressed points of a proof. */
export interface ProofPoints {
  a: Uint8Array;
  c: Uint8Array;
  b: Uint8Array;
}

export function unpackProof(proof: Cell): ProofPoints {
  const slice = proof.beginParse();
  const [a, c] = [slice.loadBuffer(48), slice.loadBuffer(48)];
  return { a, c, b: slice.loadRef().beginParse().loadBuffer(96) };
}

function flagged(bytes: Uint8Array, change: (flags: number) => number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[0] = change(copy[0]);
  return copy;
}

const infinity = (size: number) => flagged(new Uint8Array(size), () => 0xc0);
const zeros = (size: number) => new Uint8Array(size);
/** Returns q as an encoded x: it is out of range, although it would reduce to 0. */
const overflow = (size: number) => {
  const hex = BASE_FIELD_MODULUS.toString(16).padStart(96, "0").padEnd(2 * size, "0");
  return flagged(Uint8Array.from(hex.match(/../g)!, (byte) => parseInt(byte, 16)), (flags) => flags | 0x80);
};
/** Returns a compressed x without a y on the curve. */
function offCurve(size: 48 | 96): Uint8Array {
  const { Point } = size === 48 ? G1 : G2;
  for (let x = 1;; x++) {
    const bytes = flagged(zeros(size), () => 0x80);
    bytes[size - 1] = x;
    try {
      Point.fromBytes(bytes);
    } catch {
      return bytes;
    }
  }
}
const generator1 = G1.Point.BASE.toBytes(true);
/** The generator of G2, compressed. */
export const generator2 = G2.Point.BASE.toBytes(true);
/** Returns the negated point. */
export const negatePoint = (bytes: Uint8Array) => flagged(bytes, (flags) => flags ^ 0x20);

/**
 * Moves a point of G1 out of its subgroup without changing its pairings: adds a point whose order is prime to
 * r, which pairs to one with every other point.
 */
export function leaveSubgroup(bytes: Uint8Array): Uint8Array {
  const [x, y] = offSubgroupG1().map(BigInt);
  const stray = G1.Point.fromAffine({ x, y });
  const torsion = stray.multiply(FIELD_MODULUS - 1n).add(stray);
  assert.ok(!torsion.is0());
  const moved = G1.Point.fromBytes(Uint8Array.from(bytes)).add(torsion).toAffine();
  return compressG1([String(moved.x), String(moved.y)]);
}

/** Ways to invalidate a proof with correct signals. */
export const invalidations: Record<string, (proof: ProofPoints) => Partial<ProofPoints>> = {
  "a outside the subgroup": () => ({ a: compressG1(offSubgroupG1()) }),
  "c outside the subgroup": () => ({ c: compressG1(offSubgroupG1()) }),
  "b outside the subgroup": () => ({ b: compressG2(offSubgroupG2()) }),
  "a off the curve": () => ({ a: offCurve(48) }),
  "c off the curve": () => ({ c: offCurve(48) }),
  "b off the curve": () => ({ b: offCurve(96) }),
  "a at infinity": () => ({ a: infinity(48) }),
  "c at infinity": () => ({ c: infinity(48) }),
  "b at infinity": () => ({ b: infinity(96) }),
  "all at infinity": () => ({ a: infinity(48), b: infinity(96), c: infinity(48) }),
  "all zeros": () => ({ a: zeros(48), b: zeros(96), c: zeros(48) }),
  "a at infinity with another flag": () => ({ a: flagged(infinity(48), () => 0xe0) }),
  "a not marked as compressed": ({ a }) => ({ a: flagged(a, (flags) => flags & 0x7f) }),
  "b not marked as compressed": ({ b }) => ({ b: flagged(b, (flags) => flags & 0x7f) }),
  "a whose x is q": () => ({ a: overflow(48) }),
  "b whose x is q": () => ({ b: overflow(96) }),
  "a negated": ({ a }) => ({ a: negatePoint(a) }),
  "b negated": ({ b }) => ({ b: negatePoint(b) }),
  "c negated": ({ c }) => ({ c: negatePoint(c) }),
  "a and c swapped": ({ a, c }) => ({ a: c, c: a }),
  "generators": () => ({ a: generator1, b: generator2, c: generator1 }),
};

/** Returns the cell of an invalidated proof. */
export function invalidateProof(
  proof: ProofPoints,
  spoil: (proof: ProofPoints) => Partial<ProofPoints>,
): Cell {
  const { a, c, b } = { ...proof, ...spoil(proof) };
  return proofCell(a, c, b);
}
