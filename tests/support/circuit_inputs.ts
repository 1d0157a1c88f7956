/**
 * Honest inputs of both circuits, made with npm `poseidon-bls12381` and no code of ours, so that a mistake in our hash
 * cannot hide in the tests. Trees are not needed: any siblings make a true path to the root that they hash to.
 */
import poseidonBls12381 from "poseidon-bls12381";
import { FIELD_MODULUS } from "../../src/core/field.ts";

const { poseidon1, poseidon2 } = poseidonBls12381;

/** Levels of the tree. */
export const LEVELS = 20;

/** zeros[0] = keccak256("tornado") mod r: the leaf that is empty. */
export const EMPTY_LEAF = 0x4d2490664da40f2829f12ed266838ec6a6f948e5e4153796f03c66aa1899af6en;

/** Inputs of `withdraw.circom`, by signal name. */
export interface WithdrawSignals {
  readonly root: bigint;
  readonly nullifierHash: bigint;
  readonly recipient: bigint;
  readonly relayer: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
  readonly nullifier: bigint;
  readonly secret: bigint;
  readonly pathElements: readonly bigint[];
  readonly pathIndices: readonly bigint[];
}

/** Inputs of `deposit.circom`, by signal name. */
export interface DepositSignals {
  readonly prevRoot: bigint;
  readonly newRoot: bigint;
  readonly commitment: bigint;
  readonly leafIndex: bigint;
  readonly pathElements: readonly bigint[];
}

/** The nullifier hash of a nullifier. */
export function hashNullifier(nullifier: bigint): bigint {
  return poseidon1([nullifier]);
}

/** The node above two nodes, and the commitment of (nullifier, secret). */
export function hashPair(left: bigint, right: bigint): bigint {
  return poseidon2([left, right]);
}

/** The root that `leaf` leads to along a path. */
export function rootOf(
  leaf: bigint,
  pathElements: readonly bigint[],
  pathIndices: readonly bigint[],
): bigint {
  return pathElements.reduce(
    (node, sibling, level) => pathIndices[level] === 0n ? hashPair(node, sibling) : hashPair(sibling, node),
    leaf,
  );
}

/** The bits of a leaf's index, least significant first: 1 where the node is a right child. */
export function bitsOf(leafIndex: bigint): bigint[] {
  return Array.from({ length: LEVELS }, (_, level) => (leafIndex >> BigInt(level)) & 1n);
}

/** Field elements that look random and are the same in every run. */
export function element(seed: bigint): bigint {
  return hashPair(seed, 0x746f6e61646fn) % FIELD_MODULUS;
}

/** A path of siblings that look random. */
export function siblings(seed: bigint): bigint[] {
  return Array.from({ length: LEVELS }, (_, level) => element(seed * 100n + BigInt(level)));
}

/** A true withdrawal of the note at `leafIndex`. */
export function honestWithdrawal(leafIndex: bigint, seed = 1n): WithdrawSignals {
  const [nullifier, secret] = [element(seed + 1n) >> 7n, element(seed + 2n) >> 7n];
  const [pathElements, pathIndices] = [siblings(seed), bitsOf(leafIndex)];
  return {
    root: rootOf(hashPair(nullifier, secret), pathElements, pathIndices),
    nullifierHash: hashNullifier(nullifier),
    recipient: element(seed + 3n) >> 1n,
    relayer: element(seed + 4n) >> 1n,
    fee: 50_000_000n,
    refund: 1n,
    nullifier,
    secret,
    pathElements,
    pathIndices,
  };
}

/** A true deposit into the empty leaf at `leafIndex`. */
export function honestDeposit(leafIndex: bigint, seed = 1n): DepositSignals {
  const [pathElements, bits] = [siblings(seed), bitsOf(leafIndex)];
  const commitment = element(seed + 1n);
  return {
    prevRoot: rootOf(EMPTY_LEAF, pathElements, bits),
    newRoot: rootOf(commitment, pathElements, bits),
    commitment,
    leafIndex,
    pathElements,
  };
}
