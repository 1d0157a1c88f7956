/** A proving key over any points, for a circuit that constrains nothing: what drives the prover's sums where a test likes. */
import { FIELD_MODULUS } from "../../src/core/field.ts";
import { joined, u32 } from "../../src/ops/ceremony/sections.ts";
import { writeZkey, type Zkey } from "../../src/ops/ceremony/zkey.ts";
import { g1KeyBytes, g2KeyBytes, type Pair, pairOf } from "./known_points.ts";

/** Rows of the key's domain. */
export const DOMAIN = 8;
const R_SQUARED = 2n ** 512n % FIELD_MODULUS;

/**
 * The key's A, B1 and B2 are the points, L those from the second on, H the first eight, in turns. `constants` are alpha
 * and beta. Row j takes signal j on the left and signal j + 1 on the right, in turns.
 */
export function forgedKey(points: readonly Pair[], constants: Pair): Uint8Array<ArrayBuffer> {
  const g1 = points.map((point) => g1KeyBytes(point.g1));
  const [one1, one2] = [g1KeyBytes(constants.g1), g2KeyBytes(constants.g2)];
  const unused = pairOf({ k: 1n, t: 0 });
  const coefficients = Array.from({ length: 2 * DOMAIN }, (_, i) => {
    const [row, matrix] = [i >> 1, i & 1];
    return joined(u32(matrix), u32(row), u32((row + matrix) % points.length), littleEndian(R_SQUARED));
  });
  const key: Zkey = {
    variables: points.length,
    public: 0,
    domain: DOMAIN,
    alpha1: one1,
    beta1: one1,
    beta2: one2,
    gamma2: g2KeyBytes(unused.g2),
    delta1: g1KeyBytes(unused.g1),
    delta2: g2KeyBytes(unused.g2),
    sections: {
      IC: new Uint8Array(96),
      coefficients: joined(u32(coefficients.length), ...coefficients),
      A: joined(...g1),
      B1: joined(...g1),
      B2: joined(...points.map((point) => g2KeyBytes(point.g2))),
      L: joined(...g1.slice(1)),
      H: joined(...Array.from({ length: DOMAIN }, (_, i) => g1[i % g1.length])),
    },
    circuitHash: new Uint8Array(64),
    contributions: [],
  };
  return writeZkey(key);
}

/** A witness as section 2 of a `.wtns` file holds it. Values need not be below r. */
export function witnessBytes(values: readonly bigint[]): Uint8Array<ArrayBuffer> {
  return joined(...values.map(littleEndian));
}

function littleEndian(x: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => Number((x >> BigInt(8 * i)) & 0xffn));
}
