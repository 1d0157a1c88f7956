/** Creates proving keys with chosen points, for a circuit without constraints, to test the prover's sums. */
import { concatBytes } from "@noble/hashes/utils.js";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { u32 } from "../../../src/ops/ceremony/section_file.ts";
import { serializeZkey, type Zkey } from "../../../src/ops/ceremony/zkey.ts";
import { computePoints, type CurvePoints, g1KeyBytes, g2KeyBytes } from "./known_points.ts";

export const DOMAIN_SIZE = 8;
const R_SQUARED = 2n ** 512n % FIELD_MODULUS;

/**
 * Returns a key with the points as A, B1 and B2, the points from the second on as L, and eight of them as H.
 * `constants` are alpha and beta. Row j has signal j on the left and signal j + 1 on the right.
 */
export function syntheticZkey(
  points: readonly CurvePoints[],
  constants: CurvePoints,
): Uint8Array<ArrayBuffer> {
  const g1 = points.map((point) => g1KeyBytes(point.g1));
  const [one1, one2] = [g1KeyBytes(constants.g1), g2KeyBytes(constants.g2)];
  const unused = computePoints({ k: 1n, t: 0 });
  const coefficients = Array.from({ length: 2 * DOMAIN_SIZE }, (_, i) => {
    const [row, matrix] = [i >> 1, i & 1];
    return concatBytes(u32(matrix), u32(row), u32((row + matrix) % points.length), littleEndian(R_SQUARED));
  });
  const key: Zkey = {
    variables: points.length,
    public: 0,
    domain: DOMAIN_SIZE,
    alpha1: one1,
    beta1: one1,
    beta2: one2,
    gamma2: g2KeyBytes(unused.g2),
    delta1: g1KeyBytes(unused.g1),
    delta2: g2KeyBytes(unused.g2),
    sections: {
      IC: new Uint8Array(96),
      coefficients: concatBytes(u32(coefficients.length), ...coefficients),
      A: concatBytes(...g1),
      B1: concatBytes(...g1),
      B2: concatBytes(...points.map((point) => g2KeyBytes(point.g2))),
      L: concatBytes(...g1.slice(1)),
      H: concatBytes(...Array.from({ length: DOMAIN_SIZE }, (_, i) => g1[i % g1.length])),
    },
    circuitHash: new Uint8Array(64),
    contributions: [],
  };
  return serializeZkey(key);
}

/** Returns a witness in the format of section 2 of a `.wtns` file. Values need not be below r. */
export function witnessBytes(values: readonly bigint[]): Uint8Array<ArrayBuffer> {
  return concatBytes(...values.map(littleEndian));
}

function littleEndian(x: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => Number((x >> BigInt(8 * i)) & 0xffn));
}
