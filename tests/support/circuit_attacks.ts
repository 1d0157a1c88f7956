/**
 * What an attacker may feed the circuits: each entry alters an honest input in one way and names the statement of the
 * circuit that must refuse it. The witness programs and the constraints are both driven by these tables.
 */
import { FIELD_MODULUS } from "../../src/core/field.ts";
import {
  bitsOf,
  type DepositSignals,
  element,
  EMPTY_LEAF,
  hashNullifier,
  hashPair,
  rootOf,
  type WithdrawSignals,
} from "./circuit_inputs.ts";
import { inverse } from "./propagation.ts";

/** One attack: its name, the altered inputs, and the source line that refuses them. */
export interface Attack<Signals> {
  readonly attack: string;
  readonly alter: (honest: Signals) => Signals;
  readonly refusedBy: string;
}

const NULLIFIER_IS_THIS_NOTES = "nullifierHasher.out === nullifierHash;";
const BIT_IS_BOOLEAN = "pathIndices[i] * (pathIndices[i] - 1) === 0;";
const NOTE_IS_IN_TREE = "tree.root === root;";

/** Attacks on a withdrawal. */
export const withdrawAttacks: readonly Attack<WithdrawSignals>[] = [
  ...[0, 7, 19].map((level): Attack<WithdrawSignals> => ({
    attack: `path bit flipped at level ${level}`,
    alter: (w) => ({ ...w, pathIndices: replace(w.pathIndices, level, 1n - w.pathIndices[level]) }),
    refusedBy: NOTE_IS_IN_TREE,
  })),
  {
    attack: "two siblings swapped",
    alter: (w) => ({ ...w, pathElements: swap(w.pathElements, 3, 4) }),
    refusedBy: NOTE_IS_IN_TREE,
  },
  ...[0, 19].map((level): Attack<WithdrawSignals> => ({
    attack: `sibling replaced at level ${level}`,
    alter: (w) => ({ ...w, pathElements: replace(w.pathElements, level, element(77n)) }),
    refusedBy: NOTE_IS_IN_TREE,
  })),
  ...([["2", 2n], ["-1", FIELD_MODULUS - 1n], ["1/2", (FIELD_MODULUS + 1n) / 2n]] as const).map((
    [text, value],
  ): Attack<WithdrawSignals> => ({
    attack: `path bit is ${text}`,
    alter: (w) => {
      const pathIndices = replace(w.pathIndices, 5, value);
      return { ...w, pathIndices, root: bentRoot(w, pathIndices) };
    },
    refusedBy: BIT_IS_BOOLEAN,
  })),
  {
    attack: "invented note bent under a real root by a path bit that is no bit",
    alter: (w) => bend(w),
    refusedBy: BIT_IS_BOOLEAN,
  },
  {
    attack: "nullifier hash of another note",
    alter: (w) => ({ ...w, nullifierHash: hashNullifier(w.nullifier + 1n) }),
    refusedBy: NULLIFIER_IS_THIS_NOTES,
  },
  {
    attack: "nullifier hash raised by one, to spend twice",
    alter: (w) => ({ ...w, nullifierHash: w.nullifierHash + 1n }),
    refusedBy: NULLIFIER_IS_THIS_NOTES,
  },
  {
    attack: "another nullifier with its own hash, to spend twice",
    alter: (w) => ({ ...w, nullifier: w.nullifier + 1n, nullifierHash: hashNullifier(w.nullifier + 1n) }),
    refusedBy: NOTE_IS_IN_TREE,
  },
  {
    attack: "another nullifier under the same hash",
    alter: (w) => ({ ...w, nullifier: w.nullifier + 1n }),
    refusedBy: NULLIFIER_IS_THIS_NOTES,
  },
  {
    attack: "another secret",
    alter: (w) => ({ ...w, secret: w.secret + 1n }),
    refusedBy: NOTE_IS_IN_TREE,
  },
  {
    attack: "nullifier and secret swapped",
    alter: (w) => ({
      ...w,
      nullifier: w.secret,
      secret: w.nullifier,
      nullifierHash: hashNullifier(w.secret),
    }),
    refusedBy: NOTE_IS_IN_TREE,
  },
  {
    attack: "root of another tree",
    alter: (w) => ({ ...w, root: element(78n) }),
    refusedBy: NOTE_IS_IN_TREE,
  },
  {
    attack: "root is zero",
    alter: (w) => ({ ...w, root: 0n }),
    refusedBy: NOTE_IS_IN_TREE,
  },
];

const INDEX_HAS_20_BITS = "spelled === leafIndex;";
const LEAF_WAS_EMPTY = "before.root === prevRoot;";
const LEAF_IS_COMMITMENT = "after.root === newRoot;";

/** Attacks on a deposit. */
export const depositAttacks: readonly Attack<DepositSignals>[] = [
  {
    attack: "leaf index names the next leaf",
    alter: (d) => ({ ...d, leafIndex: d.leafIndex + 1n }),
    refusedBy: LEAF_WAS_EMPTY,
  },
  {
    attack: "leaf index raised by 2^20: the same path under another number",
    alter: (d) => ({ ...d, leafIndex: d.leafIndex + (1n << 20n) }),
    refusedBy: INDEX_HAS_20_BITS,
  },
  {
    attack: "leaf index is 2^20",
    alter: (d) => ({ ...d, leafIndex: 1n << 20n }),
    refusedBy: INDEX_HAS_20_BITS,
  },
  {
    attack: "leaf index is -1",
    alter: (d) => ({ ...d, leafIndex: FIELD_MODULUS - 1n }),
    refusedBy: INDEX_HAS_20_BITS,
  },
  {
    attack: "occupied leaf: a deposit put over another",
    alter: (d) => ({ ...d, prevRoot: rootOf(element(79n), d.pathElements, bitsOf(d.leafIndex)) }),
    refusedBy: LEAF_WAS_EMPTY,
  },
  {
    attack: "previous root is not the path's",
    alter: (d) => ({ ...d, prevRoot: d.prevRoot + 1n }),
    refusedBy: LEAF_WAS_EMPTY,
  },
  {
    attack: "new root is not the path's",
    alter: (d) => ({ ...d, newRoot: d.newRoot + 1n }),
    refusedBy: LEAF_IS_COMMITMENT,
  },
  {
    attack: "new root of another commitment",
    alter: (d) => ({ ...d, newRoot: rootOf(element(80n), d.pathElements, bitsOf(d.leafIndex)) }),
    refusedBy: LEAF_IS_COMMITMENT,
  },
  {
    attack: "another commitment under the same new root",
    alter: (d) => ({ ...d, commitment: d.commitment + 1n }),
    refusedBy: LEAF_IS_COMMITMENT,
  },
  {
    attack: "roots swapped: a deposit taken out again",
    alter: (d) => ({ ...d, prevRoot: d.newRoot, newRoot: d.prevRoot }),
    refusedBy: LEAF_WAS_EMPTY,
  },
  {
    attack: "two siblings swapped",
    alter: (d) => ({ ...d, pathElements: swap(d.pathElements, 3, 4) }),
    refusedBy: LEAF_WAS_EMPTY,
  },
  {
    attack: "forged siblings: the whole tree replaced by one that holds other notes",
    alter: (d) => {
      const pathElements = replace(d.pathElements, 11, element(81n));
      return { ...d, pathElements, newRoot: rootOf(d.commitment, pathElements, bitsOf(d.leafIndex)) };
    },
    refusedBy: LEAF_WAS_EMPTY,
  },
  {
    attack: "a second leaf changed on the way: new root over another sibling",
    alter: (d) => ({
      ...d,
      newRoot: rootOf(d.commitment, replace(d.pathElements, 0, element(82n)), bitsOf(d.leafIndex)),
    }),
    refusedBy: LEAF_IS_COMMITMENT,
  },
];

function replace<T>(items: readonly T[], at: number, item: T): T[] {
  return items.map((old, i) => i === at ? item : old);
}

function swap<T>(items: readonly T[], i: number, j: number): T[] {
  return replace(replace(items, i, items[j]), j, items[i]);
}

function mod(x: bigint): bigint {
  return ((x % FIELD_MODULUS) + FIELD_MODULUS) % FIELD_MODULUS;
}

/** The root that the circuit's own arithmetic reaches when path bits are any field elements. */
function bentRoot(w: WithdrawSignals, pathIndices: readonly bigint[]): bigint {
  return w.pathElements.reduce((node, sibling, level) => {
    const shift = (sibling - node) * pathIndices[level];
    return hashPair(mod(node + shift), mod(sibling - shift));
  }, hashPair(w.nullifier, w.secret));
}

/**
 * The forgery that an unconstrained path bit would allow. With node n and sibling s the circuit hashes
 * (n + (s - n) b, s - (s - n) b). For any wished pair (L, R) and any n: s = L + R - n and b = (L - n) / (s - n). So the
 * attacker takes a real pair of the tree and puts what a note of his own has led to in its place: every other constraint
 * holds.
 */
export function bend(w: WithdrawSignals, level = 0): WithdrawSignals {
  const [nullifier, secret] = [element(83n), element(84n)];
  const climb = (leaf: bigint) => rootOf(leaf, w.pathElements.slice(0, level), w.pathIndices.slice(0, level));
  const [node, invented] = [climb(hashPair(w.nullifier, w.secret)), climb(hashPair(nullifier, secret))];
  const real = w.pathElements[level];
  const [left, right] = w.pathIndices[level] === 0n ? [node, real] : [real, node];
  const sibling = mod(left + right - invented);
  const bit = mod((left - invented) * inverse(mod(sibling - invented)));
  return {
    ...w,
    nullifier,
    secret,
    nullifierHash: hashNullifier(nullifier),
    pathElements: replace(w.pathElements, level, sibling),
    pathIndices: replace(w.pathIndices, level, bit),
  };
}

/**
 * What a deposit could do were the lowest bit of its place no bit. Leaf 6 may be spelled 4 + 2, with 2 for the lowest bit.
 * At level 0 the circuit then hashes (2 s - x, 2 x - s), x the empty leaf before and the commitment after. An attacker who
 * has put (2 s - z, 2 z - s) into leaves 4 and 5, z the empty leaf, replaces both by two leaves that no log tells of: the
 * pool's tree is one that nobody else can rebuild.
 */
export function overwrite(d: DepositSignals): { inputs: DepositSignals; bits: readonly bigint[] } {
  const s = element(85n);
  const pair = (x: bigint): [bigint, bigint] => [mod(2n * s - x), mod(2n * x - s)];
  const rest = bitsOf(4n).slice(1);
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
