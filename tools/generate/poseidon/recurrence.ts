/**
 * The partial rounds of the permutation of three elements as a scaled linear recurrence: one S-box and one four-term
 * inner product a round, where the plain form multiplies by a 3 x 3 matrix. Pure algebra over the parameters; that it
 * is the same permutation is what `recurrence_test.ts` shows.
 *
 * Write the state as (s, u), with u the two elements that the partial rounds leave out of the S-box, and the matrix as
 * [[m, v], [w, A]]. Round r adds (k, l), takes y = (s + k)^5, and mixes: s' = m y + v.(u + l), u' = w y + A (u + l).
 *
 * 1. Split u into a part that depends on the input and a part that does not. The latter is known here, so only
 *    z = v.u (of the former) matters to the next s.
 * 2. By Cayley-Hamilton A^2 = tr A - det, so z obeys a recurrence of order two that never needs u itself:
 *    z_r = tr z_{r-1} - det z_{r-2} + (v.w) y_{r-1} + (v.Aw - tr v.w) y_{r-2}.
 * 3. Scale s_r + k_r = c_r S_r with c_{r+1} = m c_r^5. Then y_r = c_r^5 Y_r with Y = S^5, and m y_r has the scale of
 *    S_{r+1}: with z_r = c_{r+1} Z_r the next input of the S-box is the bare sum S_{r+1} = Y_r + Z_r.
 * 4. All constants of the round go into Z, so the addition in (3) is the only one. c is chosen backwards from 1 at the
 *    end, so that the first full round afterwards takes S as it is.
 */
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { dot, Fr, mod, multiplyMatrix } from "./modular.ts";
import { ALPHA, FULL_ROUNDS, PARTIAL_ROUNDS, type PoseidonParameters } from "./parameters.ts";

/** An inner product with constants, plus a constant. */
export interface Row {
  readonly weights: readonly bigint[];
  readonly addend: bigint;
}

/** The rows that replace the partial rounds. x are the three elements after the preceding round's S-box. */
interface PartialRows {
  /** S_0, Z_0 of x. */
  readonly entry: readonly [Row, Row];
  /** Z_1 of x and Y_0. */
  readonly second: Row;
  /** Z_r of Z_{r-1}, Z_{r-2}, Y_{r-1}, Y_{r-2}, for r from 2 on. */
  readonly steps: readonly Row[];
  /** Elements 1 and 2 after the last partial round, with the next round's constants, of the last Z, Z, Y, Y. */
  readonly exit: readonly [Row, Row];
}

/** 1 / 5 modulo r - 1 (which is 2 modulo 5): x to this power is the inverse of the S-box. */
const FIFTH_ROOT = (2n * (FIELD_MODULUS - 1n) + 1n) / ALPHA;

/** Derives {@linkcode PartialRows} for the permutation of three elements. */
export function partialRows({ roundConstants, mds }: PoseidonParameters): PartialRows {
  const [[m, ...v], ...lower] = mds;
  const w = lower.map((row) => row[0]);
  const A = lower.map((row) => row.slice(1));
  const trace = A[0][0] + A[1][1];
  const determinant = mod(A[0][0] * A[1][1] - A[0][1] * A[1][0]);
  const vw = dot(v, w);
  const vAw = dot(v, multiplyMatrix(A, w));
  const last = PARTIAL_ROUNDS;
  const first = FULL_ROUNDS / 2;
  const constants = (round: number) => roundConstants.slice(3 * (first + round), 3 * (first + round) + 3);

  const scale: bigint[] = [];
  scale[last] = 1n;
  for (let r = last - 1; r >= 0; r--) scale[r] = Fr.pow(scale[r + 1] * Fr.inv(m), FIFTH_ROOT);
  const scaleY = (r: number) => Fr.pow(scale[r], ALPHA);
  const scaleZ = (r: number) => scale[r + 1];

  // The part of u that does not depend on the input, and what it and the next round's constant add to Z_r.
  let fixed = [0n, 0n];
  const shift: bigint[] = [];
  for (let r = 0; r < last; r++) {
    const [, l1, l2] = constants(r);
    fixed = [fixed[0] + l1, fixed[1] + l2];
    shift[r] = mod((dot(v, fixed) + constants(r + 1)[0]) * Fr.inv(scaleZ(r)));
    fixed = multiplyMatrix(A, fixed);
  }

  const vA = multiplyMatrix([[A[0][0], A[1][0]], [A[0][1], A[1][1]]], v);
  const ofX = (left: readonly bigint[]) => [0, 1, 2].map((j) => dot(left, lower.map((row) => row[j])));
  const over = (row: readonly bigint[], divisor: bigint) => row.map((x) => mod(x * Fr.inv(divisor)));

  const steps: Row[] = [];
  for (let r = 2; r < last; r++) {
    const weights = over([
      trace * scaleZ(r - 1),
      -determinant * scaleZ(r - 2),
      vw * scaleY(r - 1),
      (vAw - trace * vw) * scaleY(r - 2),
    ], scaleZ(r));
    steps.push({ weights, addend: mod(shift[r] - weights[0] * shift[r - 1] - weights[1] * shift[r - 2]) });
  }

  // u two rounds before the end solves v.u = z_{last-2} and vA.u = z_{last-1} - (v.w) y_{last-2}; then two rounds on.
  const scaleOut = Fr.inv(v[0] * vA[1] - v[1] * vA[0]);
  const solve = [[vA[1] * scaleOut, -v[1] * scaleOut], [-vA[0] * scaleOut, v[0] * scaleOut]];
  const columns = [0, 1].map((j) => multiplyMatrix(A, multiplyMatrix(A, solve.map((row) => row[j]))));
  const Aw = multiplyMatrix(A, w);
  const exit = [0, 1].map((i): Row => {
    const [ofZ2, ofZ1] = [columns[0][i], columns[1][i]];
    const weights = [
      ofZ1 * scaleZ(last - 1),
      ofZ2 * scaleZ(last - 2),
      w[i] * scaleY(last - 1),
      (Aw[i] - ofZ1 * vw) * scaleY(last - 2),
    ].map((x) => mod(x));
    const unshift = weights[0] * shift[last - 1] + weights[1] * shift[last - 2];
    return { weights, addend: mod(fixed[i] + constants(last)[i + 1] - unshift) };
  });

  return {
    entry: [
      { weights: over(mds[0], scale[0]), addend: over([constants(0)[0]], scale[0])[0] },
      { weights: over(ofX(v), scaleZ(0)), addend: shift[0] },
    ],
    second: { weights: over([...ofX(vA), vw * scaleY(0)], scaleZ(1)), addend: shift[1] },
    steps,
    exit: [exit[0], exit[1]],
  };
}
