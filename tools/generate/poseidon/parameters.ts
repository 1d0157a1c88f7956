/**
 * Derives Poseidon's round constants and MDS matrices from the Grain LFSR as the paper prescribes (Grassi et al.,
 * "Poseidon", USENIX Security 2021, appendices F and H). No constant is copied.
 */
import { FIELD_MODULUS as R } from "../../../src/core/crypto/field.ts";
import { inverse, mod, multiplyMatrix, power } from "./modular.ts";

/** The S-box is x^5: 5 is the smallest exponent coprime to r - 1. */
export const ALPHA = 5n;
/** Rounds with an S-box on every element, half of them before and half after the partial rounds. */
export const FULL_ROUNDS = 8;
/** Rounds with an S-box on the first element only. */
export const PARTIAL_ROUNDS = 56;

const FIELD_BITS = 255;

/** Parameters of the permutation of `width` elements. */
export interface PoseidonParameters {
  readonly width: number;
  /** `width` constants per round, in the order in which they are added. */
  readonly roundConstants: readonly bigint[];
  readonly mds: readonly (readonly bigint[])[];
}

/** Returns the parameters for `width` elements: the inputs and one capacity element. */
export function poseidonParameters(width: number): PoseidonParameters {
  const draw = grain(width);
  const roundConstants = Array.from({ length: width * (FULL_ROUNDS + PARTIAL_ROUNDS) }, () => {
    let x = draw(FIELD_BITS);
    while (x >= R) x = draw(FIELD_BITS); // rejected, not reduced: constants are uniform in [0, r)
    return x;
  });
  let points: bigint[];
  do points = Array.from({ length: 2 * width }, () => mod(draw(FIELD_BITS))); while (
    new Set(points).size < points.length
  );
  const [xs, ys] = [points.slice(0, width), points.slice(width)];
  const mds = xs.map((x) => ys.map((y) => inverse(x + y))); // Cauchy, hence MDS
  return { width, roundConstants, mds };
}

/**
 * Returns a generator of integers with a given number of bits, most significant first, from the self-shrinking 80-bit
 * Grain LFSR.
 */
function grain(width: number): (bits: number) => bigint {
  const state: number[] = [];
  const seed: [value: number, bits: number][] = [
    [1, 2], // a prime field
    [0, 4], // the S-box is a power map
    [FIELD_BITS, 12],
    [width, 12],
    [FULL_ROUNDS, 10],
    [PARTIAL_ROUNDS, 10],
    [2 ** 30 - 1, 30],
  ];
  for (const [value, bits] of seed) {
    for (let bit = bits - 1; bit >= 0; bit--) state.push((value >> bit) & 1);
  }
  const step = () => {
    const bit = state[62] ^ state[51] ^ state[38] ^ state[23] ^ state[13] ^ state[0];
    state.shift();
    state.push(bit);
    return bit;
  };
  for (let i = 0; i < 160; i++) step();
  const shrunk = () => {
    while (step() === 0) step(); // the second bit of a pair counts if the first is 1
    return step();
  };
  return (bits) => {
    let x = 0n;
    for (let i = 0; i < bits; i++) x = (x << 1n) | BigInt(shrunk());
    return x;
  };
}

/** Returns whether a round has an S-box on every element. */
export function isFullRound(round: number): boolean {
  return round < FULL_ROUNDS / 2 || round >= FULL_ROUNDS / 2 + PARTIAL_ROUNDS;
}

/** The permutation as the paper defines it, the reference for faster forms. */
export function permute(parameters: PoseidonParameters, input: readonly bigint[]): bigint[] {
  const { width, roundConstants, mds } = parameters;
  let state = [...input];
  for (let round = 0; round < FULL_ROUNDS + PARTIAL_ROUNDS; round++) {
    state = state.map((x, i) => mod(x + roundConstants[round * width + i]));
    state = state.map((x, i) => i === 0 || isFullRound(round) ? power(x, ALPHA) : x);
    state = multiplyMatrix(mds, state);
  }
  return state;
}

/** The hash: the capacity element, 0, comes first. The digest is the first element of the result. */
export function hash(parameters: PoseidonParameters, inputs: readonly bigint[]): bigint {
  return permute(parameters, [0n, ...inputs])[0];
}
