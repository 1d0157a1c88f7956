/** Arithmetic modulo r for the generators: simple rather than fast, and not used by the product. */
import { FIELD_MODULUS as R } from "../../../src/core/crypto/field.ts";

/** Returns the representative of `x` in [0, r), also for negative `x`. */
export function mod(x: bigint, modulus = R): bigint {
  const rest = x % modulus;
  return rest < 0n ? rest + modulus : rest;
}

/** Returns `base ** exponent` modulo r. */
export function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = mod(base), e = exponent; e > 0n; square = square * square % R, e >>= 1n) {
    if (e & 1n) result = result * square % R;
  }
  return result;
}

/** Returns 1 / x modulo r (Fermat). Throws a RangeError for 0. */
export function inverse(x: bigint): bigint {
  if (mod(x) === 0n) throw new RangeError("0 has no inverse");
  return power(x, R - 2n);
}

/** Returns the inner product of two vectors. */
export function dot(a: readonly bigint[], b: readonly bigint[]): bigint {
  return mod(a.reduce((sum, x, i) => sum + x * b[i], 0n));
}

/** Multiplies a matrix by a column vector. */
export function multiplyMatrix(matrix: readonly (readonly bigint[])[], vector: readonly bigint[]): bigint[] {
  return matrix.map((row) => dot(row, vector));
}
