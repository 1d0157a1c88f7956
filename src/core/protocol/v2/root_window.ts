/** The newest roots of a version 2 pool by number. The root after settlement n, counted from 0, has the number n. */
import { yieldToEventLoop } from "../../event_loop_yield.ts";
import { checkRoot, type Contradiction, type SettledEffect } from "../pool_ledger.ts";
import { ROOT_WINDOW } from "./pool_constants.ts";

const ROOTS_PER_TURN = 8; // of 20 hashes each

/** Keeps at least as many items as the pool accepts roots. */
function dropOldest<T>(items: T[]): void {
  if (items.length >= 2 * ROOT_WINDOW) items.splice(0, items.length - ROOT_WINDOW);
}

/** The roots that a pool accepts. */
export class RootWindow {
  readonly #roots: bigint[] = [];
  #count = 0;

  /** Number of settlements. The newest root has the number `count - 1`. */
  get count(): number {
    return this.#count;
  }

  /** Oldest first. */
  get accepted(): readonly bigint[] {
    return this.#roots.slice(-ROOT_WINDOW);
  }

  push(root: bigint): void {
    this.#roots.push(root);
    this.#count++;
    dropOldest(this.#roots);
  }

  /** Returns undefined if the pool does not accept the root. */
  numberOf(root: bigint): number | undefined {
    const { accepted } = this;
    const place = accepted.lastIndexOf(root);
    return place < 0 ? undefined : this.#count - accepted.length + place;
  }
}

/** Settlements whose leaves are not hashed yet. Only those are kept whose roots the pool accepts. */
export class UncheckedRoots {
  #settlements: SettledEffect[] = [];

  add(settlement: SettledEffect): void {
    this.#settlements.push(settlement);
    dropOldest(this.#settlements);
  }

  /** Checks each settlement once. `rootAt` returns the root of the tree's first `size` leaves. */
  async check(rootAt: (size: number) => bigint): Promise<Contradiction | undefined> {
    const settlements = this.#settlements.slice(-ROOT_WINDOW);
    this.#settlements = [];
    for (const [i, settlement] of settlements.entries()) {
      if (i % ROOTS_PER_TURN === ROOTS_PER_TURN - 1) await yieldToEventLoop();
      const contradiction = checkRoot(settlement, rootAt(settlement.to));
      if (contradiction !== undefined) return contradiction;
    }
  }
}
