/** Vectors and matrices modulo r for the generators: simple rather than fast, and not used by the product. */
import { bls12_381 } from "@noble/curves/bls12-381.js";

/** The scalar field. */
export const { Fr } = bls12_381.fields;

/** Returns the representative of `x` in [0, r), also for negative `x`. */
export const mod = (x: bigint): bigint => Fr.create(x);

/** Returns the inner product of two vectors. */
export function dot(a: readonly bigint[], b: readonly bigint[]): bigint {
  return Fr.create(a.reduce((sum, x, i) => sum + x * b[i], 0n));
}

/** Multiplies a matrix by a column vector. */
export function multiplyMatrix(matrix: readonly (readonly bigint[])[], vector: readonly bigint[]): bigint[] {
  return matrix.map((row) => dot(row, vector));
}
