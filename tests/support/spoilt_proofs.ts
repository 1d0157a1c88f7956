/** Proofs that no verifier may accept: the points of one that holds replaced by others, by infinity, by bytes that are no point. */
import { bls12_381 } from "@noble/curves/bls12-381.js";
import type { Cell } from "@ton/core";
import { BASE_FIELD_MODULUS, compressG1, compressG2 } from "../../src/core/proof_codec.ts";
import { strayG1, strayG2 } from "./stray_points.ts";
import { proofCell } from "./trapdoor_keys.ts";

const { G1, G2 } = bls12_381;

/** A proof, unpacked: compressed points. */
export interface Points {
  a: Uint8Array;
  c: Uint8Array;
  b: Uint8Array;
}

/** Unpacks a proof cell. */
export function points(proof: Cell): Points {
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
/** q as an x: out of range, though it would reduce to 0. */
const overflow = (size: number) => {
  const hex = BASE_FIELD_MODULUS.toString(16).padStart(96, "0").padEnd(2 * size, "0");
  return flagged(Uint8Array.from(hex.match(/../g)!, (byte) => parseInt(byte, 16)), (flags) => flags | 0x80);
};
/** A compressed x that has no y. */
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
/** The point with its sign changed. */
export const negated = (bytes: Uint8Array) => flagged(bytes, (flags) => flags ^ 0x20);

/** What can be wrong with a proof whose signals are right. */
export const spoils: Record<string, (proof: Points) => Partial<Points>> = {
  "a outside the subgroup": () => ({ a: compressG1(strayG1()) }),
  "c outside the subgroup": () => ({ c: compressG1(strayG1()) }),
  "b outside the subgroup": () => ({ b: compressG2(strayG2()) }),
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
  "a negated": ({ a }) => ({ a: negated(a) }),
  "b negated": ({ b }) => ({ b: negated(b) }),
  "c negated": ({ c }) => ({ c: negated(c) }),
  "a and c swapped": ({ a, c }) => ({ a: c, c: a }),
  "generators": () => ({ a: generator1, b: generator2, c: generator1 }),
};

/** A proof cell spoilt. */
export function spoilt(proof: Points, spoil: (proof: Points) => Partial<Points>): Cell {
  const { a, c, b } = { ...proof, ...spoil(proof) };
  return proofCell(a, c, b);
}
