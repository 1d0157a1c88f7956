/**
 * Valid inputs of all circuits, computed with npm `poseidon-bls12381` and without the product's code, so that
 * a mistake in its hash does not stay hidden. No tree is needed: any siblings form a valid path to the root
 * that they hash to.
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

/** Inputs of `settle16.circom`, by signal name. */
export interface SettlementSignals {
  readonly oldRoot: bigint;
  readonly newRoot: bigint;
  readonly span: bigint;
  readonly settler: bigint;
  readonly fresh: readonly bigint[];
  readonly leaves: readonly bigint[];
  readonly pathElements: readonly bigint[];
}

/** Returns the nullifier hash of a nullifier, in version 1 pools. */
export function hashNullifier(nullifier: bigint): bigint {
  return poseidon1([nullifier]);
}

/** Returns the parent of two nodes, or the commitment of (nullifier, secret). */
export function hashPair(left: bigint, right: bigint): bigint {
  return poseidon2([left, right]);
}

/** Returns the root at the end of a leaf's path. */
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
export function pathBits(leafIndex: bigint, levels = TREE_LEVELS): bigint[] {
  return Array.from({ length: levels }, (_, level) => (leafIndex >> BigInt(level)) & 1n);
}

/** Returns field elements that look random and are the same in every run. */
export function deterministicElement(seed: bigint): bigint {
  return hashPair(seed, 0x746f6e61646fn) % FIELD_MODULUS;
}

/** Returns a path of siblings that look random. */
function deterministicSiblings(seed: bigint, levels = TREE_LEVELS): bigint[] {
  return Array.from({ length: levels }, (_, level) => deterministicElement(seed * 100n + BigInt(level)));
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

/** Returns a valid withdrawal of the note at `leafIndex` from a version 2 pool. */
export function honestWithdrawal2(leafIndex: bigint, seed = 1n): WithdrawSignals {
  const withdrawal = honestWithdrawal(leafIndex, seed);
  return { ...withdrawal, nullifierHash: hashPair(withdrawal.nullifier, leafIndex) };
}

/** The position of a settlement's batch: the slots `first` to `first + count - 1` of a chunk. */
export interface BatchPlace {
  readonly chunk: number;
  readonly first: number;
  readonly count: number;
}

/** The levels above the chunks that a settlement fills. */
export const CHUNK_PATH_LEVELS = 16;
const CHUNK_SLOTS = 16;

/** Returns the root of a chunk in which the slots with `filled[slot]` hold these leaves, and the others are empty. */
export function chunkRoot(leaves: readonly bigint[], filled: readonly boolean[]): bigint {
  let nodes = leaves.map((leaf, slot) => filled[slot] ? leaf : EMPTY_LEAF);
  while (nodes.length > 1) {
    nodes = Array.from({ length: nodes.length / 2 }, (_, i) => hashPair(nodes[2 * i], nodes[2 * i + 1]));
  }
  return nodes[0];
}

/** Returns 16 flags, the first `count` of them true. */
export function firstSlots(count: number): boolean[] {
  return Array.from({ length: CHUNK_SLOTS }, (_, slot) => slot < count);
}

/**
 * Returns a valid settlement.
 *
 * @param leaf the leaf of each slot up to the end of the batch
 */
export function honestSettlement(
  { chunk, first, count }: BatchPlace,
  seed = 1n,
  leaf = (slot: number) => deterministicElement(seed * 1000n + BigInt(slot)),
): SettlementSignals {
  const leaves = firstSlots(first + count).map((filled, slot) => filled ? leaf(slot) : 0n);
  const pathElements = deterministicSiblings(seed, CHUNK_PATH_LEVELS);
  const rootAfter = (end: number) =>
    rootOf(chunkRoot(leaves, firstSlots(end)), pathElements, pathBits(BigInt(chunk), CHUNK_PATH_LEVELS));
  return {
    oldRoot: rootAfter(first),
    newRoot: rootAfter(first + count),
    span: BigInt((chunk * CHUNK_SLOTS + first) * 512 + count),
    settler: deterministicElement(seed + 5n) >> 1n,
    fresh: leaves.map((leaf, slot) => slot < first ? 0n : leaf),
    leaves,
    pathElements,
  };
}
