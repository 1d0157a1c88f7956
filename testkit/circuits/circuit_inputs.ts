/**
 * Valid inputs of both circuits, computed with npm `poseidon-bls12381` and without our code, so that a mistake in our
 * hash does not stay hidden. No tree is needed: any siblings form a valid path to the root that they hash to.
 */
import poseidonBls12381 from "poseidon-bls12381";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";

const { poseidon1, poseidon2 } = poseidonBls12381;

/** Levels of the tree. */
export const TREE_LEVELS = 20;

/** zeros[0] = keccak256("tornado") mod r: the empty leaf. */
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

/** Returns the nullifier hash of a nullifier. */
export function hashNullifier(nullifier: bigint): bigint {
  return poseidon1([nullifier]);
}

/** Returns the parent of two nodes, or the commitment of (nullifier, secret). */
export function hashPair(left: bigint, right: bigint): bigint {
  return poseidon2([left, right]);
}

/** Returns the root that `leaf` leads to along a path. */
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

/** Returns the bits of a leaf index, least significant first. 1 means that the node is a right child. */
export function pathBits(leafIndex: bigint): bigint[] {
  return Array.from({ length: TREE_LEVELS }, (_, level) => (leafIndex >> BigInt(level)) & 1n);
}

/** Returns field elements that look random and are the same in every run. */
export function deterministicElement(seed: bigint): bigint {
  return hashPair(seed, 0x746f6e61646fn) % FIELD_MODULUS;
}

/** Returns a path of siblings that look random. */
export function deterministicSiblings(seed: bigint): bigint[] {
  return Array.from({ length: TREE_LEVELS }, (_, level) => deterministicElement(seed * 100n + BigInt(level)));
}

/** Returns a valid withdrawal of the note at `leafIndex`. */
export function honestWithdrawal(leafIndex: bigint, seed = 1n): WithdrawSignals {
  const [nullifier, secret] = [deterministicElement(seed + 1n) >> 7n, deterministicElement(seed + 2n) >> 7n];
  const [pathElements, pathIndices] = [deterministicSiblings(seed), pathBits(leafIndex)];
  return {
    root: rootOf(hashPair(nullifier, secret), pathElements, pathIndices),
    nullifierHash: hashNullifier(nullifier),
    recipient: deterministicElement(seed + 3n) >> 1n,
    relayer: deterministicElement(seed + 4n) >> 1n,
    fee: 50_000_000n,
    refund: 1n,
    nullifier,
    secret,
    pathElements,
    pathIndices,
  };
}

/** Returns a valid deposit into the empty leaf at `leafIndex`. */
export function honestDeposit(leafIndex: bigint, seed = 1n): DepositSignals {
  const [pathElements, bits] = [deterministicSiblings(seed), pathBits(leafIndex)];
  const commitment = deterministicElement(seed + 1n);
  return {
    prevRoot: rootOf(EMPTY_LEAF, pathElements, bits),
    newRoot: rootOf(commitment, pathElements, bits),
    commitment,
    leafIndex,
    pathElements,
  };
}
