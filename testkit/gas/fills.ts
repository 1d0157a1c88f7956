/**
 * Pools with a number of notes, of which only the parts that a message can touch are built: the other slots
 * of a set stay empty. The chain charges gas for loaded and created cells, and a message loads one path of a
 * set, so it costs the same as in the complete pool. `tests/gas/gas_test.ts` compares one fill with its
 * complete sets.
 */
import { POOL_CAPACITY } from "../../src/core/protocol/pool_constants.ts";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import { fillPath, largestSet, RootHistoryModel, SetModel } from "../chain/pool_storage.ts";

/** Returns a field element that depends on `n` only, so that figures are the same in every run. */
export const gasElement = (n: number) =>
  BigInt(n + 10) * 0x2545f4914f6cdd1d9e3779b97f4a7c15bf58476d1ce4e5b994d049bb133111ebn % FIELD_MODULUS;

/** Keys for messages, which no set contains yet, and the root of a deposit. */
interface FillKeys {
  readonly commitment: bigint;
  readonly nullifierHash: bigint;
  readonly newRoot: bigint;
}

/** The fill of a pool. */
export interface Fill {
  /** The name in the tables. */
  readonly name: string;
  readonly deposits: number;
  readonly withdrawals: number;
  readonly keys: FillKeys;
  /** Builds the sets in the slots that `within` admits. */
  sets(within?: (slot: number) => boolean): { commitments: SetModel; nullifiers: SetModel };
}

const spread: FillKeys = {
  commitment: gasElement(-6),
  nullifierHash: gasElement(-5),
  newRoot: gasElement(-7),
};

/**
 * Returns a fill of uniform keys, as proofs produce them. All notes but two are withdrawn, so that the sets
 * are equally large.
 */
function evenFill(notes: number, name = notes.toLocaleString("en")): Fill {
  return {
    name,
    deposits: notes,
    withdrawals: Math.max(0, notes - 2),
    keys: spread,
    sets: (within = () => true) => {
      const [commitments, nullifiers] = [new SetModel(), new SetModel()];
      const put = (set: SetModel, key: bigint) => within(Number(key & 0xfffn)) && set.add(key);
      for (let i = 0; i < notes; i++) {
        put(commitments, gasElement(3 * i));
        if (i > 0) put(nullifiers, gasElement(3 * i + 1));
      }
      return { commitments, nullifiers };
    },
  };
}

/**
 * Returns a fill with the most cells that chosen keys can produce. The message's keys are at the deepest
 * position.
 */
function worstFill(notes: number): Fill {
  const deepest = 1n << 112n;
  return {
    name: `${notes.toLocaleString("en")}, worst keys`,
    deposits: notes,
    withdrawals: notes - 2,
    keys: { commitment: deepest, nullifierHash: deepest, newRoot: gasElement(-7) },
    sets: (within) => ({
      commitments: largestSet(notes, 1n, within),
      nullifiers: largestSet(notes, 1n << 40n, within),
    }),
  };
}

/**
 * Returns a fill with as many full nodes on the path of the message's key as an attacker can put there, and
 * little else.
 */
export function attackedFill(deposits: number): Fill {
  const key = gasElement(-8);
  const deepest = () => {
    const set = new SetModel();
    fillPath(set, key);
    return set;
  };
  return {
    name: "attacked",
    deposits,
    withdrawals: 0,
    keys: { commitment: key, nullifierHash: key, newRoot: gasElement(-7) },
    sets: () => ({ commitments: deepest(), nullifiers: deepest() }),
  };
}

/** The measured fills. The fullest one has room for one deposit. */
export const fills: readonly Fill[] = [
  evenFill(0, "empty"),
  evenFill(1_000),
  evenFill(100_000),
  evenFill(POOL_CAPACITY - 1),
  worstFill(POOL_CAPACITY - 1),
];

/** Builds the part of a fill's sets that messages with its keys touch. */
export function buildTouchedSets(fill: Fill): { commitments: SetModel; nullifiers: SetModel } {
  const slots = new Set(Object.values(fill.keys).map((key) => Number(key & 0xfffn)));
  return fill.sets((slot) => slots.has(slot));
}

/** Builds the root history after a number of deposits. Returns it with its roots, oldest first. */
export function buildRootHistory(deposits: number): { history: RootHistoryModel; roots: bigint[] } {
  const history = new RootHistoryModel();
  const first = Math.max(0, deposits - deposits % 32 - 64);
  history.count = first;
  const roots = Array.from({ length: deposits - first }, (_, i) => gasElement(3 * (first + i) + 2));
  for (const root of roots) history.push(root);
  return { history, roots };
}
