/**
 * What a pool must hold after every message, in plain TypeScript from contracts/SPEC.md: counters, sets, roots, debt. The
 * stateful tests (native_model_test.ts, jetton_model_test.ts) compare its storage with the chain's, bit by bit.
 */
import type { Address, Cell } from "@ton/core";
import { FIELD_MODULUS } from "../../src/core/field.ts";
import { zeros } from "../../src/core/zeros.ts";
import { deepen, HistoryModel, poolData, type PoolState, SetModel } from "./set_model.ts";

export const CAPACITY = 131_072;
const KNOWN_ROOTS = 30;
const SHARED_BITS = 12n;

/** How a pool stands when a run of steps begins. */
export interface Start {
  readonly denomination: bigint;
  readonly owner: "kept" | "burned";
  /** Notes unspent. */
  readonly notes: number;
  /** Notes withdrawn before. */
  readonly past: number;
  /** Full nodes that an attacker has put on the path of both sets' next keys. */
  readonly depth: number;
  /** Deposits that still fit; all of 2^17 when undefined. */
  readonly room?: number;
}

/** Where a key comes to lie: anywhere, or where an attacker has made the set deep. */
export type KeyKind = "even" | "crowded";

/** The state of a pool. */
export class PoolModel {
  readonly commitments = new SetModel();
  readonly nullifiers = new SetModel();
  /** Keys that steps have put in, so that they can be tried again. */
  readonly deposited: bigint[] = [];
  readonly spent: bigint[] = [];
  /** Newest last; the empty tree's root is the first. */
  readonly roots: bigint[] = [zeros[20]];
  readonly #history = new HistoryModel();
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
    start: Start,
    readonly jetton?: PoolState["jetton"],
  ) {
    this.#crowd = { target: this.element(), depth: start.depth };
    if (start.depth > 0) {
      for (const set of [this.commitments, this.nullifiers]) deepen(set, this.#crowd.target, start.depth);
    }
    const least = Math.max(start.past, this.nullifiers.size);
    const full = start.room === undefined ? 0 : CAPACITY - start.room - start.notes;
    this.withdrawals = Math.max(least, full);
    this.deposits = this.withdrawals + start.notes;
    // Of many roots only the last two generations are kept.
    const kept = this.deposits < 96 ? this.deposits : 64 + this.deposits % 32;
    for (let i = 0; i < kept; i++) this.#push(this.element());
  }

  /** A field element that no other call gives, the same in every repetition of a run. */
  element(): bigint {
    this.#counter += 1n;
    return (this.#counter * 0x5bd1e995_2545f491_4f6cdd1d_9e3779b9_7f4a7c15_bf58476d_1ce4e5b9n ** 2n) %
      FIELD_MODULUS;
  }

  /** A key that the set does not have. */
  key(kind: KeyKind, set: SetModel): bigint {
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

  get root(): bigint {
    return this.roots.at(-1)!;
  }

  /** Roots that a withdrawal may name, newest first. */
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
    return poolData({
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
      jetton: this.jetton,
    });
  }
}

/** Most cells and bits that a pool of so many keys can have, by SPEC.md, with what the code and the roots take. */
export function sizeBound(
  { deposits, withdrawals }: { deposits: number; withdrawals: number },
  fixed: { cells: bigint; bits: bigint },
): { cells: bigint; bits: bigint } {
  const cells = (keys: number) =>
    keys < 4096 ? 7 + Math.min(7 * keys, 1365 + keys) : 5461 + 2 * Math.floor((keys - 4096) / 11);
  return {
    cells: fixed.cells + BigInt(cells(deposits) + cells(withdrawals)),
    bits: fixed.bits + 102n * BigInt(deposits + withdrawals),
  };
}
