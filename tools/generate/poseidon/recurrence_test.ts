import assert from "node:assert/strict";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { dot, Fr, mod, multiplyMatrix } from "./modular.ts";
import {
  ALPHA,
  FULL_ROUNDS,
  PARTIAL_ROUNDS,
  permute,
  type PoseidonParameters,
  poseidonParameters,
} from "./parameters.ts";
import { partialRows, type Row } from "./recurrence.ts";

const row = ({ weights, addend }: Row, x: readonly bigint[]) => mod(dot(weights, x) + addend);
const sbox = (x: bigint) => Fr.pow(x, ALPHA);

/** Runs the permutation with the recurrence in place of its partial rounds, step by step as the kernel does. */
function permuteByRecurrence(parameters: PoseidonParameters, input: readonly bigint[]): bigint[] {
  const { roundConstants, mds } = parameters;
  const half = FULL_ROUNDS / 2;
  const addRound = (state: readonly bigint[], r: number) =>
    state.map((x, i) => x + roundConstants[3 * r + i]);
  let state = [...input];
  for (let r = 0; r < half - 1; r++) state = multiplyMatrix(mds, addRound(state, r).map(sbox));
  const x = addRound(state, half - 1).map(sbox);

  const { entry, second, steps, exit } = partialRows(parameters);
  const [S, Y, Z] = [[row(entry[0], x)], [] as bigint[], [row(entry[1], x)]];
  for (let r = 0; r < PARTIAL_ROUNDS; r++) {
    if (r === 1) Z[1] = row(second, [...x, Y[0]]);
    if (r >= 2) Z[r] = row(steps[r - 2], [Z[r - 1], Z[r - 2], Y[r - 1], Y[r - 2]]);
    Y[r] = sbox(S[r]);
    S[r + 1] = Y[r] + Z[r];
  }
  const tail = [Z.at(-1)!, Z.at(-2)!, Y.at(-1)!, Y.at(-2)!];
  state = [S.at(-1)!, row(exit[0], tail), row(exit[1], tail)]; // includes the next round's constants
  for (let r = half + PARTIAL_ROUNDS; r < FULL_ROUNDS + PARTIAL_ROUNDS; r++) {
    if (r > half + PARTIAL_ROUNDS) state = addRound(state, r);
    state = multiplyMatrix(mds, state.map(sbox));
  }
  return state;
}

Deno.test("the recurrence is the same permutation", () => {
  const parameters = poseidonParameters(3);
  const inputs = [[0n, 1n, 2n], [0n, 0n, 0n], [0n, FIELD_MODULUS - 1n, 123456789n], [
    7n,
    FIELD_MODULUS - 1n,
    5n,
  ]];
  for (const input of inputs) assert.deepEqual(permuteByRecurrence(parameters, input), permute(input));
});
