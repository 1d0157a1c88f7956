/**
 * Attacks on the circuits: each entry alters an honest input in one way and names the statement of the circuit that
 * must reject it. The tests try each entry on the witness programs and on the constraints.
 */
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import {
  type DepositSignals,
  deterministicElement,
  EMPTY_LEAF,
  hashNullifier,
  hashPair,
  pathBits,
  rootOf,
  type WithdrawSignals,
} from "../../../testkit/circuits/circuit_inputs.ts";
import { inverse } from "./constraint_propagation.ts";

/** An attack: its name, the altered inputs, and the source line that must reject them. */
export interface Attack<Signals> {
  readonly name: string;
  readonly alter: (honest: Signals) => Signals;
  readonly rejectedBy: string;
}

const NULLIFIER_IS_THIS_NOTES = "nullifierHasher.out === nullifierHash;";
const BIT_IS_BOOLEAN = "pathIndices[i] * (pathIndices[i] - 1) === 0;";
const NOTE_IS_IN_TREE = "tree.root === root;";

/** Returns the nullifier hash that a circuit computes from a nullifier and path bits, which may be any elements. */
export type NullifierHash = (nullifier: bigint, pathIndices: readonly bigint[]) => bigint;
export const version1Hash: NullifierHash = (nullifier) => hashNullifier(nullifier);
export const version2Hash: NullifierHash = (nullifier, pathIndices) =>
  hashPair(nullifier, spell(pathIndices));

function spell(bits: readonly bigint[]): bigint {
  return modField(bits.reduce((sum, bit, i) => sum + (bit << BigInt(i)), 0n));
}

const attacksOnWithdrawals = (hashOf: NullifierHash): readonly Attack<WithdrawSignals>[] => [
  ...[0, 7, 19].map((level): Attack<WithdrawSignals> => ({
    name: `path bit flipped at level ${level}`,
    alter: (w) => {
      const pathIndices = replace(w.pathIndices, level, 1n - w.pathIndices[level]);
      return { ...w, pathIndices, nullifierHash: hashOf(w.nullifier, pathIndices) };
    },
    rejectedBy: NOTE_IS_IN_TREE,
  })),
  {
    name: "two siblings swapped",
    alter: (w) => ({ ...w, pathElements: swap(w.pathElements, 3, 4) }),
    rejectedBy: NOTE_IS_IN_TREE,
  },
  ...[0, 19].map((level): Attack<WithdrawSignals> => ({
    name: `sibling replaced at level ${level}`,
    alter: (w) => ({ ...w, pathElements: replace(w.pathElements, level, deterministicElement(77n)) }),
    rejectedBy: NOTE_IS_IN_TREE,
  })),
  ...([["2", 2n], ["-1", FIELD_MODULUS - 1n], ["1/2", (FIELD_MODULUS + 1n) / 2n]] as const).map((
    [text, value],
  ): Attack<WithdrawSignals> => ({
    name: `path bit is ${text}`,
    alter: (w) => {
      const pathIndices = replace(w.pathIndices, 5, value);
      const nullifierHash = hashOf(w.nullifier, pathIndices);
      return { ...w, pathIndices, nullifierHash, root: rootWithAnyPathBits(w, pathIndices) };
    },
    rejectedBy: BIT_IS_BOOLEAN,
  })),
  {
    name: "invented note bent under a real root by a path bit that is no bit",
    alter: (w) => forgeWithdrawal(w, 0, hashOf),
    rejectedBy: BIT_IS_BOOLEAN,
  },
  {
    name: "nullifier hash of another note",
    alter: (w) => ({ ...w, nullifierHash: hashOf(w.nullifier + 1n, w.pathIndices) }),
    rejectedBy: NULLIFIER_IS_THIS_NOTES,
  },
  {
    name: "nullifier hash raised by one, to spend twice",
    alter: (w) => ({ ...w, nullifierHash: w.nullifierHash + 1n }),
    rejectedBy: NULLIFIER_IS_THIS_NOTES,
  },
  {
    name: "another nullifier with its own hash, to spend twice",
    alter: (w) => ({
      ...w,
      nullifier: w.nullifier + 1n,
      nullifierHash: hashOf(w.nullifier + 1n, w.pathIndices),
    }),
    rejectedBy: NOTE_IS_IN_TREE,
  },
  {
    name: "another nullifier under the same hash",
    alter: (w) => ({ ...w, nullifier: w.nullifier + 1n }),
    rejectedBy: NULLIFIER_IS_THIS_NOTES,
  },
  {
    name: "another secret",
    alter: (w) => ({ ...w, secret: w.secret + 1n }),
    rejectedBy: NOTE_IS_IN_TREE,
  },
  {
    name: "nullifier and secret swapped",
    alter: (w) => ({
      ...w,
      nullifier: w.secret,
      secret: w.nullifier,
      nullifierHash: hashOf(w.secret, w.pathIndices),
    }),
    rejectedBy: NOTE_IS_IN_TREE,
  },
  {
    name: "root of another tree",
    alter: (w) => ({ ...w, root: deterministicElement(78n) }),
    rejectedBy: NOTE_IS_IN_TREE,
  },
  {
    name: "root is zero",
    alter: (w) => ({ ...w, root: 0n }),
    rejectedBy: NOTE_IS_IN_TREE,
  },
];

export const withdrawAttacks = attacksOnWithdrawals(version1Hash);
export const withdraw2Attacks: readonly Attack<WithdrawSignals>[] = [
  ...attacksOnWithdrawals(version2Hash),
  {
    name: "nullifier hash of the leaf beside it, to spend twice",
    alter: (w) => ({ ...w, nullifierHash: hashPair(w.nullifier, spell(w.pathIndices) ^ 1n) }),
    rejectedBy: NULLIFIER_IS_THIS_NOTES,
  },
  {
    name: "nullifier hash of version 1",
    alter: (w) => ({ ...w, nullifierHash: hashNullifier(w.nullifier) }),
    rejectedBy: NULLIFIER_IS_THIS_NOTES,
  },
];

const INDEX_HAS_20_BITS = "spelled === leafIndex;";
const LEAF_WAS_EMPTY = "before.root === prevRoot;";
const LEAF_IS_COMMITMENT = "after.root === newRoot;";

export const depositAttacks: readonly Attack<DepositSignals>[] = [
  {
    name: "leaf index names the next leaf",
    alter: (d) => ({ ...d, leafIndex: d.leafIndex + 1n }),
    rejectedBy: LEAF_WAS_EMPTY,
  },
  {
    name: "leaf index raised by 2^20: the same path under another number",
    alter: (d) => ({ ...d, leafIndex: d.leafIndex + (1n << 20n) }),
    rejectedBy: INDEX_HAS_20_BITS,
  },
  {
    name: "leaf index is 2^20",
    alter: (d) => ({ ...d, leafIndex: 1n << 20n }),
    rejectedBy: INDEX_HAS_20_BITS,
  },
  {
    name: "leaf index is -1",
    alter: (d) => ({ ...d, leafIndex: FIELD_MODULUS - 1n }),
    rejectedBy: INDEX_HAS_20_BITS,
  },
  {
    name: "occupied leaf: a deposit put over another",
    alter: (d) => ({
      ...d,
      prevRoot: rootOf(deterministicElement(79n), d.pathElements, pathBits(d.leafIndex)),
    }),
    rejectedBy: LEAF_WAS_EMPTY,
  },
  {
    name: "previous root is not the path's",
    alter: (d) => ({ ...d, prevRoot: d.prevRoot + 1n }),
    rejectedBy: LEAF_WAS_EMPTY,
  },
  {
    name: "new root is not the path's",
    alter: (d) => ({ ...d, newRoot: d.newRoot + 1n }),
    rejectedBy: LEAF_IS_COMMITMENT,
  },
  {
    name: "new root of another commitment",
    alter: (d) => ({
      ...d,
      newRoot: rootOf(deterministicElement(80n), d.pathElements, pathBits(d.leafIndex)),
    }),
    rejectedBy: LEAF_IS_COMMITMENT,
  },
  {
    name: "another commitment under the same new root",
    alter: (d) => ({ ...d, commitment: d.commitment + 1n }),
    rejectedBy: LEAF_IS_COMMITMENT,
  },
  {
    name: "roots swapped: a deposit taken out again",
    alter: (d) => ({ ...d, prevRoot: d.newRoot, newRoot: d.prevRoot }),
    rejectedBy: LEAF_WAS_EMPTY,
  },
  {
    name: "two siblings swapped",
    alter: (d) => ({ ...d, pathElements: swap(d.pathElements, 3, 4) }),
    rejectedBy: LEAF_WAS_EMPTY,
  },
  {
    name: "forged siblings: the whole tree replaced by one that holds other notes",
    alter: (d) => {
      const pathElements = replace(d.pathElements, 11, deterministicElement(81n));
      return { ...d, pathElements, newRoot: rootOf(d.commitment, pathElements, pathBits(d.leafIndex)) };
    },
    rejectedBy: LEAF_WAS_EMPTY,
  },
  {
    name: "a second leaf changed on the way: new root over another sibling",
    alter: (d) => ({
      ...d,
      newRoot: rootOf(
        d.commitment,
        replace(d.pathElements, 0, deterministicElement(82n)),
        pathBits(d.leafIndex),
      ),
    }),
    rejectedBy: LEAF_IS_COMMITMENT,
  },
];

export function replace<T>(items: readonly T[], at: number, item: T): T[] {
  return items.map((old, i) => i === at ? item : old);
}

export function swap<T>(items: readonly T[], i: number, j: number): T[] {
  return replace(replace(items, i, items[j]), j, items[i]);
}

export function modField(x: bigint): bigint {
  return ((x % FIELD_MODULUS) + FIELD_MODULUS) % FIELD_MODULUS;
}

/** Returns the root that the circuit computes when path bits may be any field elements. */
function rootWithAnyPathBits(w: WithdrawSignals, pathIndices: readonly bigint[]): bigint {
  return w.pathElements.reduce((node, sibling, level) => {
    const shift = (sibling - node) * pathIndices[level];
    return hashPair(modField(node + shift), modField(sibling - shift));
  }, hashPair(w.nullifier, w.secret));
}

/**
 * Returns the forgery that an unconstrained path bit b would allow. With node n and sibling s the circuit
 * hashes (n + (s - n) b, s - (s - n) b). For any pair (L, R) and any n, s = L + R - n and b = (L - n) /
 * (s - n) produce that pair. The attacker replaces the path of a real pair of the tree by the path of his own
 * note.
 */
export function forgeWithdrawal(w: WithdrawSignals, level: number, hashOf: NullifierHash): WithdrawSignals {
  const [nullifier, secret] = [deterministicElement(83n), deterministicElement(84n)];
  const climb = (leaf: bigint) => rootOf(leaf, w.pathElements.slice(0, level), w.pathIndices.slice(0, level));
  const [node, invented] = [climb(hashPair(w.nullifier, w.secret)), climb(hashPair(nullifier, secret))];
  const real = w.pathElements[level];
  const [left, right] = w.pathIndices[level] === 0n ? [node, real] : [real, node];
  const sibling = modField(left + right - invented);
  const bit = modField((left - invented) * inverse(modField(sibling - invented)));
  const pathIndices = replace(w.pathIndices, level, bit);
  return {
    ...w,
    nullifier,
    secret,
    nullifierHash: hashOf(nullifier, pathIndices),
    pathElements: replace(w.pathElements, level, sibling),
    pathIndices,
  };
}

/**
 * Returns the forgery that an unconstrained lowest index bit would allow in a deposit. Leaf 6 could be
 * written as 4 + 2, with 2 as the lowest bit. At level 0 the circuit would hash (2 s - x, 2 x - s), where x
 * is first the empty leaf and then the commitment. An attacker who has (2 s - z, 2 z - s) in leaves 4 and 5,
 * with z the empty leaf, replaces both by leaves that no log contains, so nobody else can rebuild the tree.
 */
export function forgeDeposit(d: DepositSignals): { inputs: DepositSignals; bits: readonly bigint[] } {
  const s = deterministicElement(85n);
  const pair = (x: bigint): [bigint, bigint] => [modField(2n * s - x), modField(2n * x - s)];
  const rest = pathBits(4n).slice(1);
  const rootAbove = (leaves: [bigint, bigint]) => rootOf(hashPair(...leaves), d.pathElements.slice(1), rest);
  return {
    inputs: {
      ...d,
      leafIndex: 6n,
      pathElements: replace(d.pathElements, 0, s),
      prevRoot: rootAbove(pair(EMPTY_LEAF)),
      newRoot: rootAbove(pair(d.commitment)),
    },
    bits: [2n, ...rest],
  };
}
