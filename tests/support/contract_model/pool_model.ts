/**
 * The expected storage of a pool after every message, from contracts/v1/SPEC.md: counters, sets, roots, debt. The
 * stateful tests compare it with the contract's storage bit by bit.
 */
import type { Address, Cell } from "@ton/core";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { zeros } from "../../../src/core/tree/zeros.ts";
import {
  type Claim,
  encodePoolData,
  fillPath,
  largestSet,
  type PoolState,
  RootHistoryModel,
  SetModel,
} from "../../../testkit/chain/pool_storage.ts";

export const CAPACITY = 131_072;
const KNOWN_ROOTS = 30;
const SHARED_BITS = 12n;

/** The initial state of a scenario's pool. */
export interface InitialState {
  readonly denomination: bigint;
  readonly owner: "kept" | "burned";
  /** The number of unspent notes. */
  readonly unspent: number;
  /** The number of withdrawn notes. */
  readonly spent: number;
  /** The number of full nodes that an attacker put on the path of the next keys of both sets. */
  readonly attackDepth: number;
  /** The number of deposits that still fit. Default: all 2^17. */
  readonly remainingCapacity?: number;
  /**
   * The keys that the sets hold in addition to those of steps: none (the default), or one for each deposit
   * and withdrawal, either spread like hashes or chosen by an attacker to use the most cells.
   */
  readonly stored?: "even" | "worst";
  /** The number of payouts that the wallet of a jetton pool has refused before. */
  readonly claims?: number;
}

/** The position of a key in the set: anywhere, or where an attacker made the set deep. */
export type KeyPlacement = "even" | "crowded";

export class PoolModel {
  readonly commitments: SetModel;
  readonly nullifiers: SetModel;
  /** Keys that steps have added, for later attempts to add them again. */
  readonly deposited: bigint[] = [];
  readonly spent: bigint[] = [];
  /** Roots, oldest first. The first is the root of the empty tree. */
  readonly roots: bigint[] = [zeros[20]];
  /** Refused payouts by id. */
  readonly claims = new Map<bigint, Claim>();
  readonly #history = new RootHistoryModel();
  readonly #crowd: { readonly target: bigint; readonly depth: number };
  #counter = 0n;
  deposits: number;
  withdrawals: number;
  debt = 0n;
  touched = 0;
  paused = false;

  constructor(
    readonly denomination: bigint,
    readonly owner: Address | null,
    start: InitialState,
    readonly jetton?: PoolState["jetton"],
  ) {
    const worst = start.stored === "worst";
    this.commitments = worst ? largestSet(start.unspent + start.spent) : new SetModel();
    this.nullifiers = worst && start.spent > 0 ? largestSet(start.spent, 1n << 40n) : new SetModel();
    this.#crowd = { target: this.element(), depth: start.attackDepth };
    if (start.attackDepth > 0) {
      for (const set of [this.commitments, this.nullifiers]) {
        fillPath(set, this.#crowd.target, start.attackDepth);
      }
    }
    const least = Math.max(start.spent, this.nullifiers.size);
    const full = start.remainingCapacity === undefined
      ? 0
      : CAPACITY - start.remainingCapacity - start.unspent;
    this.withdrawals = Math.max(least, full);
    this.deposits = this.withdrawals + start.unspent;
    if (start.stored === "even") {
      while (this.commitments.size < this.deposits) this.commitments.add(this.element());
      while (this.nullifiers.size < this.withdrawals) this.nullifiers.add(this.element());
    }
    // Only the last two generations of roots are kept.
    const kept = this.deposits < 96 ? this.deposits : 64 + this.deposits % 32;
    for (let i = 0; i < kept; i++) this.#push(this.element());
  }

  /** Returns a new field element. Repetitions of a run return the same elements. */
  element(): bigint {
    this.#counter += 1n;
    return (this.#counter * 0x5bd1e995_2545f491_4f6cdd1d_9e3779b9_7f4a7c15_bf58476d_1ce4e5b9n ** 2n) %
      FIELD_MODULUS;
  }

  /** Returns a key that the set does not contain. */
  key(kind: KeyPlacement, set: SetModel): bigint {
    const { target, depth } = this.#crowd;
    const shared = SHARED_BITS + BigInt(depth);
    for (;;) {
      const any = this.element();
      const low = target & ((1n << shared) - 1n);
      const key = kind === "even" ? any : ((any >> shared << shared) | low) % FIELD_MODULUS;
      if (!set.has(key)) return key;
    }
  }

  get unspent(): number {
    return this.deposits - this.withdrawals;
  }

  /** Returns the jettons of all refused payouts. */
  get claimed(): bigint {
    return [...this.claims.values()].reduce((sum, { amount }) => sum + amount, 0n);
  }

  get root(): bigint {
    return this.roots.at(-1)!;
  }

  /** Returns the roots that a withdrawal may use, newest first. */
  get known(): bigint[] {
    const real = Math.min(this.deposits, KNOWN_ROOTS);
    return this.roots.slice(-Math.max(1, real)).reverse();
  }

  deposit(commitment: bigint, newRoot: bigint, now: number): void {
    this.commitments.add(commitment);
    this.deposited.push(commitment);
    this.#push(newRoot);
    this.deposits++;
    this.touched = now;
  }

  withdraw(nullifierHash: bigint, now: number): void {
    this.nullifiers.add(nullifierHash);
    this.spent.push(nullifierHash);
    this.withdrawals++;
    this.touched = now;
  }

  #push(root: bigint): void {
    this.roots.push(root);
    this.#history.push(root);
  }

  data(): Cell {
    const {
      denomination,
      deposits,
      withdrawals,
      debt,
      touched,
      nullifiers,
      commitments,
      root,
      paused,
      owner,
    } = this;
    const history = this.#history;
    return encodePoolData({
      denomination,
      deposits,
      withdrawals,
      debt,
      touched,
      nullifiers,
      commitments,
      root,
      history,
      paused,
      owner,
      jetton: this.jetton && { ...this.jetton, claims: this.claims },
    });
  }
}

/**
 * Returns the maximum cells and bits that SPEC.md allows for a pool with this many keys, including code and
 * roots.
 */
export function maxStorageSize(
  { deposits, withdrawals, claims }: {
    deposits: number;
    withdrawals: number;
    claims?: ReadonlyMap<bigint, Claim>;
  },
  fixed: { cells: bigint; bits: bigint },
): { cells: bigint; bits: bigint } {
  const cells = (keys: number) =>
    keys < 4096 ? 7 + Math.min(7 * keys, 1365 + keys) : 5461 + 2 * Math.floor((keys - 4096) / 11);
  const refused = BigInt(claims?.size ?? 0);
  return {
    cells: fixed.cells + BigInt(cells(deposits) + cells(withdrawals)) + 2n * refused,
    bits: fixed.bits + 102n * BigInt(deposits + withdrawals) + 600n * refused,
  };
}
