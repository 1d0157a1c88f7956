/**
 * Pools with so many notes, of which only what a message can touch is built: a set's other slots are left empty. A
 * message loads one path through a set, and gas is paid for cells that are loaded and made, so it costs what it costs in
 * the whole pool; `tests/gas/gas_test.ts` compares one fill with the whole of it.
 */
import { POOL_CAPACITY } from "../../src/core/pool_constants.ts";
import { FIELD_MODULUS } from "../../src/core/field.ts";
import { deepen, HistoryModel, largestSet, SetModel } from "../../tests/support/set_model.ts";

/** A field element that follows from `n` alone, so that figures are the same in every run. */
export const element = (n: number) =>
  BigInt(n + 10) * 0x2545f4914f6cdd1d9e3779b97f4a7c15bf58476d1ce4e5b994d049bb133111ebn % FIELD_MODULUS;

/** What messages name: keys that no set has yet, and the root that a deposit makes. */
export interface Keys {
  readonly commitment: bigint;
  readonly nullifierHash: bigint;
  readonly newRoot: bigint;
}

/** How full a pool is. */
export interface Fill {
  /** As the tables name it. */
  readonly name: string;
  readonly deposits: number;
  readonly withdrawals: number;
  readonly keys: Keys;
  /** The sets, with the slots that `within` admits and no other. */
  sets(within?: (slot: number) => boolean): { commitments: SetModel; nullifiers: SetModel };
}

const spread: Keys = { commitment: element(-6), nullifierHash: element(-5), newRoot: element(-7) };

/** Keys as proofs make them, spread evenly; every note but two is withdrawn, so that the sets are alike. */
function evenly(notes: number, name = notes.toLocaleString("en")): Fill {
  return {
    name,
    deposits: notes,
    withdrawals: Math.max(0, notes - 2),
    keys: spread,
    sets: (within = () => true) => {
      const [commitments, nullifiers] = [new SetModel(), new SetModel()];
      const put = (set: SetModel, key: bigint) => within(Number(key & 0xfffn)) && set.add(key);
      for (let i = 0; i < notes; i++) {
        put(commitments, element(3 * i));
        if (i > 0) put(nullifiers, element(3 * i + 1));
      }
      return { commitments, nullifiers };
    },
  };
}

/** The most cells that keys chosen by an attacker can make; the message's keys go where they lie deepest. */
function worst(notes: number): Fill {
  const deepest = 1n << 112n;
  return {
    name: `${notes.toLocaleString("en")}, worst keys`,
    deposits: notes,
    withdrawals: notes - 2,
    keys: { commitment: deepest, nullifierHash: deepest, newRoot: element(-7) },
    sets: (within) => ({
      commitments: largestSet(notes, 1n, within),
      nullifiers: largestSet(notes, 1n << 40n, within),
    }),
  };
}

/** As many full nodes on the path of the message's key as an attacker can put there, and next to nothing else. */
export function attacked(deposits: number): Fill {
  const key = element(-8);
  const deepest = () => {
    const set = new SetModel();
    deepen(set, key);
    return set;
  };
  return {
    name: "attacked",
    deposits,
    withdrawals: 0,
    keys: { commitment: key, nullifierHash: key, newRoot: element(-7) },
    sets: () => ({ commitments: deepest(), nullifiers: deepest() }),
  };
}

/** The fills that are measured. The fullest has room for one deposit. */
export const fills: readonly Fill[] = [
  evenly(0, "empty"),
  evenly(1_000),
  evenly(100_000),
  evenly(POOL_CAPACITY - 1),
  worst(POOL_CAPACITY - 1),
];

/** The part of a fill's sets that messages with its keys touch. */
export function touched(fill: Fill): { commitments: SetModel; nullifiers: SetModel } {
  const slots = new Set(Object.values(fill.keys).map((key) => Number(key & 0xfffn)));
  return fill.sets((slot) => slots.has(slot));
}

/** The log of roots after so many deposits, and the roots in it, oldest first. */
export function rootLog(deposits: number): { history: HistoryModel; roots: bigint[] } {
  const history = new HistoryModel();
  const first = Math.max(0, deposits - deposits % 32 - 64);
  history.count = first;
  const roots = Array.from({ length: deposits - first }, (_, i) => element(3 * (first + i) + 2));
  for (const root of roots) history.push(root);
  return { history, roots };
}
