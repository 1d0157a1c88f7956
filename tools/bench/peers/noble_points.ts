/** Converts points of snarkjs' JSON to noble's. */
import { bls12_381 } from "@noble/curves/bls12-381.js";

const { G1, G2 } = bls12_381;
const { Fp, Fp2 } = bls12_381.fields;

/** Returns a point of G1 from its decimal coordinates. */
export function g1([x, y]: readonly string[]) {
  return G1.Point.fromAffine({ x: Fp.create(BigInt(x)), y: BigInt(y) });
}

/** Returns a point of G2 from its decimal coordinates. */
export function g2([x, y]: readonly (readonly string[])[]) {
  const pair = ([c0, c1]: readonly string[]) => Fp2.fromBigTuple([BigInt(c0), BigInt(c1)]);
  return G2.Point.fromAffine({ x: pair(x), y: pair(y) });
}
