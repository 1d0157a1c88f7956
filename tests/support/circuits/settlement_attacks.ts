/**
 * Attacks on `settle16`. Attacks on its inputs keep the words and bits that the witness program computes;
 * attacks on its hints choose the words and bits as well.
 */
import {
  type BatchPlace,
  CHUNK_PATH_LEVELS,
  chunkRoot,
  deterministicElement,
  EMPTY_LEAF,
  firstSlots,
  pathBits,
  rootOf,
  type SettlementSignals,
} from "../../../testkit/circuits/circuit_inputs.ts";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { type Attack, modField, replace, swap } from "./circuit_attacks.ts";
import { inverse } from "./constraint_propagation.ts";

/**
 * The position of the settlement that {@linkcode settlementAttacks} alters: three old leaves, a batch of
 * five.
 */
export const ATTACKED: BatchPlace = { chunk: 0b0110_1001, first: 3, count: 5 };

const SPAN_IS_SPELLED = "span === (chunk * width + first) * 512 + end - first;";
const BATCH_IS_NAMED = "fresh[i] === (isFilled[i] - isOld[i]) * leaves[i];";
const OLD_ROOT = "oldPath.root === oldRoot;";
const NEW_ROOT = "newPath.root === newRoot;";

const own = deterministicElement(90n);
const rootAbove = (node: bigint, pathElements: readonly bigint[], chunk = ATTACKED.chunk) =>
  rootOf(node, pathElements, pathBits(BigInt(chunk), CHUNK_PATH_LEVELS));
/** Returns the root after a batch that ends before slot `end`. */
const rootAfter = ({ leaves, pathElements }: SettlementSignals, end = ATTACKED.first + ATTACKED.count) =>
  rootAbove(chunkRoot(leaves, firstSlots(end)), pathElements);

export const settlementAttacks: readonly Attack<SettlementSignals>[] = [
  {
    name: "a commitment of the settler's own in place of a queued one",
    alter: (s) => {
      const leaves = replace(s.leaves, 4, own);
      return { ...s, leaves, newRoot: rootAfter({ ...s, leaves }) };
    },
    rejectedBy: BATCH_IS_NAMED,
  },
  {
    name: "two queued commitments in the other order",
    alter: (s) => {
      const leaves = swap(s.leaves, 4, 5);
      return { ...s, leaves, newRoot: rootAfter({ ...s, leaves }) };
    },
    rejectedBy: BATCH_IS_NAMED,
  },
  {
    name: "an old slot named as if this batch filled it",
    alter: (s) => ({ ...s, fresh: replace(s.fresh, 2, s.leaves[2]) }),
    rejectedBy: BATCH_IS_NAMED,
  },
  {
    name: "one more commitment named than the span counts",
    alter: (s) => ({ ...s, fresh: replace(s.fresh, 8, own), leaves: replace(s.leaves, 8, own) }),
    rejectedBy: BATCH_IS_NAMED,
  },
  {
    name: "one commitment more counted than named: a slot filled with 0",
    alter: (s) => ({ ...s, span: s.span + 1n }),
    rejectedBy: NEW_ROOT,
  },
  {
    name: "an old leaf replaced",
    alter: (s) => {
      const leaves = replace(s.leaves, 0, own);
      return { ...s, leaves, newRoot: rootAfter({ ...s, leaves }) };
    },
    rejectedBy: OLD_ROOT,
  },
  {
    name: "forged siblings: the whole tree replaced by one that holds other notes",
    alter: (s) => {
      const pathElements = replace(s.pathElements, 9, own);
      return { ...s, pathElements, newRoot: rootAfter({ ...s, pathElements }) };
    },
    rejectedBy: OLD_ROOT,
  },
  {
    name: "another chunk",
    alter: (s) => {
      const chunk = ATTACKED.chunk ^ 4;
      const newRoot = rootAbove(chunkRoot(s.leaves, firstSlots(8)), s.pathElements, chunk);
      return { ...s, span: s.span ^ (4n << 13n), newRoot };
    },
    rejectedBy: OLD_ROOT,
  },
  {
    name: "the batch begins one slot later, and a queued commitment is left out",
    alter: (s) => ({ ...s, span: s.span + 511n, fresh: replace(s.fresh, 3, 0n) }),
    rejectedBy: OLD_ROOT,
  },
  {
    name: "roots swapped: a batch taken out again",
    alter: (s) => ({ ...s, oldRoot: s.newRoot, newRoot: s.oldRoot }),
    rejectedBy: OLD_ROOT,
  },
  {
    name: "new root with a slot more than the batch",
    alter: (s) => {
      const leaves = replace(s.leaves, 8, own);
      return { ...s, leaves, newRoot: rootAfter({ ...s, leaves }, 9) };
    },
    rejectedBy: NEW_ROOT,
  },
  {
    name: "new root chosen freely",
    alter: (s) => ({ ...s, newRoot: own }),
    rejectedBy: NEW_ROOT,
  },
  {
    name: "span raised by 2^29: the same slots under another number",
    alter: (s) => ({ ...s, span: s.span + (1n << 29n) }),
    rejectedBy: SPAN_IS_SPELLED,
  },
  {
    name: "span is -1",
    alter: (s) => ({ ...s, span: FIELD_MODULUS - 1n }),
    rejectedBy: SPAN_IS_SPELLED,
  },
  ...[14n, 16n, 511n].map((count): Attack<SettlementSignals> => ({
    name: `a batch of ${count} from slot 3 on, beyond the edge of the chunk`,
    alter: (s) => ({ ...s, span: s.span - BigInt(ATTACKED.count) + count }),
    rejectedBy: SPAN_IS_SPELLED,
  })),
];

/** The words and bits of a settlement, which the circuit assigns with `<--`. */
export interface Words {
  readonly chunkBits: readonly bigint[];
  readonly isOld: readonly bigint[];
  readonly isFilled: readonly bigint[];
}

/** Returns the word whose first `count` slots are 1. */
export function word(count: number): bigint[] {
  return firstSlots(count).map((set) => set ? 1n : 0n);
}

/** Returns the words and bits that the witness program computes. */
export function honestWords({ chunk, first, count }: BatchPlace): Words {
  return {
    chunkBits: pathBits(BigInt(chunk), CHUNK_PATH_LEVELS),
    isOld: word(first),
    isFilled: word(first + count),
  };
}

/** Returns the span that these words and bits spell. */
export function spellSpan({ chunkBits, isOld, isFilled }: Words): bigint {
  const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);
  const chunk = chunkBits.reduce((total, bit, i) => total + (bit << BigInt(i)), 0n);
  return modField((chunk * 16n + sum(isOld)) * 512n + sum(isFilled) - sum(isOld));
}

/** Returns false words or bits that only one constraint refuses, for each constraint on them. */
export function wordAttacks(): { readonly statement: string; readonly words: Words }[] {
  const chunkBits = pathBits(BigInt(ATTACKED.chunk), CHUNK_PATH_LEVELS);
  const slots = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  /**
   * Returns a word whose first `slot` slots are 1. `slot` has the value that makes the sum correct, and the
   * rest are 0.
   */
  const bent = (slot: number, sum: number) => word(slot).with(slot, modField(BigInt(sum - slot)));
  const withHole = (slot: number) => word(slot - 1).with(slot, 1n);
  /** Returns a number of slots that `bent` cannot spell with 0 or 1 in this slot. */
  const other = (slot: number) => slot < 8 ? slot + 5 : slot - 5;
  return [
    ...chunkBits.map((bit, i) => {
      const flipped = (i + 1) % CHUNK_PATH_LEVELS;
      const rest = chunkBits.with(flipped, 1n - chunkBits[flipped]).with(i, 0n);
      const missing = BigInt(ATTACKED.chunk) - rest.reduce((sum, bit, j) => sum + (bit << BigInt(j)), 0n);
      const bits = rest.with(i, modField(missing * inverse(1n << BigInt(i))));
      return {
        statement: `chunkBits[${i}], ${bit}, is 0 or 1`,
        words: { ...honestWords(ATTACKED), chunkBits: bits },
      };
    }),
    ...slots(0, 15).map((slot) => ({
      statement: `isOld[${slot}] is 0 or 1`,
      words: { chunkBits, isOld: bent(slot, other(slot)), isFilled: word(16) },
    })),
    ...slots(0, 16).map((slot) => ({
      statement: `isFilled[${slot}] is 0 or 1`,
      words: { chunkBits, isOld: word(0), isFilled: bent(slot, other(slot)) },
    })),
    ...slots(1, 15).map((slot) => ({
      statement: `isOld[${slot}] follows isOld[${slot - 1}]`,
      words: { chunkBits, isOld: withHole(slot), isFilled: word(16) },
    })),
    ...slots(1, 16).map((slot) => ({
      statement: `isFilled[${slot}] follows isFilled[${slot - 1}]`,
      words: { chunkBits, isOld: word(0), isFilled: withHole(slot) },
    })),
    ...slots(0, 15).map((slot) => ({
      statement: `slot ${slot} is old only if it is filled`,
      words: { chunkBits, isOld: word(slot + 1), isFilled: word(slot) },
    })),
  ];
}

/**
 * False words that agree with all signals that the pool names, but lead to another new root than that of the
 * pool's tree.
 */
export interface RootForgery {
  readonly name: string;
  readonly place: BatchPlace;
  /** The leaves of the pool's tree, before and after the batch. */
  readonly honest: readonly bigint[];
  readonly leaves: readonly bigint[];
  readonly isOld: readonly bigint[];
  readonly isFilled: readonly bigint[];
}

export const rootForgeries: readonly RootForgery[] = [
  {
    name: "a commitment 0 put into a later slot: a hole in isFilled",
    place: { chunk: 9, first: 0, count: 2 },
    honest: [own, 0n],
    leaves: [own, 0n, 0n],
    isOld: word(0),
    isFilled: word(1).with(2, 1n),
  },
  {
    name: "a commitment 0 put over an empty leaf's value: a hole in isOld",
    place: { chunk: 9, first: 2, count: 1 },
    honest: [EMPTY_LEAF, own, 0n],
    leaves: [0n, own, EMPTY_LEAF],
    isOld: word(0).with(1, 1n).with(2, 1n),
    isFilled: word(3),
  },
  {
    name: "four commitments 0 put into one slot: a 4 in isFilled",
    place: { chunk: 9, first: 0, count: 5 },
    honest: [own, 0n, 0n, 0n, 0n],
    leaves: [own, 0n],
    isOld: word(0),
    isFilled: word(1).with(1, 4n),
  },
  {
    name: "old leaves replaced by 0: a 2 in isOld",
    place: { chunk: 9, first: 2, count: 1 },
    honest: [modField(-EMPTY_LEAF), EMPTY_LEAF, own],
    leaves: [0n, 0n, own],
    isOld: word(0).with(0, 2n),
    isFilled: word(3),
  },
];
