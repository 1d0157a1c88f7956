/**
 * Derives Poseidon's round constants and MDS matrices from the Grain LFSR as the paper prescribes (Grassi et al.,
 * "Poseidon", USENIX Security 2021, appendices F and H). No constant is copied.
 */
import { grainGenConstants, poseidon } from "@noble/curves/abstract/poseidon.js";
import { Fr } from "./modular.ts";

/** The S-box is x^5: 5 is the smallest exponent coprime to r - 1. */
export const ALPHA = 5n;
/** Rounds with an S-box on every element, half of them before and half after the partial rounds. */
export const FULL_ROUNDS = 8;
/** Rounds with an S-box on the first element only. */
export const PARTIAL_ROUNDS = 56;

/** Parameters of the permutation of `width` elements. */
export interface PoseidonParameters {
  readonly width: number;
  /** `width` constants per round, in the order in which they are added. */
  readonly roundConstants: readonly bigint[];
  readonly mds: readonly (readonly bigint[])[];
}

const options = (width: number) => ({
  Fp: Fr,
  t: width,
  roundsFull: FULL_ROUNDS,
  roundsPartial: PARTIAL_ROUNDS,
  sboxPower: Number(ALPHA),
});

/** Returns the parameters for `width` elements: the inputs and one capacity element. */
export function poseidonParameters(width: number): PoseidonParameters {
  const { roundConstants, mds } = grainGenConstants(options(width));
  return { width, roundConstants: roundConstants.flat(), mds };
}

/** The permutation as the paper defines it, the reference for faster forms. */
export function permute(input: readonly bigint[]): bigint[] {
  const shape = options(input.length);
  return poseidon({ ...shape, ...grainGenConstants(shape) })([...input]);
}

/** The hash: the capacity element, 0, comes first. The digest is the first element of the result. */
export function hash(inputs: readonly bigint[]): bigint {
  return permute([0n, ...inputs])[0];
}
