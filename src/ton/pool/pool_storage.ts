/** Written from contracts/v1/SPEC.md and not from the Tolk sources, so that tests can compare the two. */
import { type Address, beginCell, Cell, Dictionary, type DictionaryValue } from "@ton/core";
import type { Claim as NumberedClaim } from "./pool_getters.ts";

export const TAG_BITS = 102;
export const NODE_TAGS = 10;
export const SLOT_BITS = 12;
const FORK_LEVELS = 6;
export const TAG_MASK = (1n << BigInt(TAG_BITS)) - 1n;

interface Node {
  readonly tags: bigint[];
  children?: readonly [Node, Node];
}

/** A set: 4096 slots under forks, with a trie of ten-tag nodes in each slot. */
export class PackedSet {
  readonly #slots = new Map<number, Node>();
  /** Cells of forks with keys below, by level and path; undefined if a key was added since the cell was built. */
  readonly #forks = new Map<number, Cell | undefined>();
  size = 0;

  has(key: bigint): boolean {
    const tag = tagOf(key);
    let node = this.#slots.get(slotOf(key));
    for (let path = tag; node !== undefined; path >>= 1n) {
      if (node.tags.includes(tag)) return true;
      node = node.children?.[Number(path & 1n)];
    }
    return false;
  }

  add(key: bigint): boolean {
    if (this.has(key)) return false;
    const slot = slotOf(key);
    let node = this.#slots.get(slot);
    if (node === undefined) this.#slots.set(slot, node = { tags: [] });
    const tag = tagOf(key);
    for (let path = tag; node.children !== undefined; path >>= 1n) node = node.children[Number(path & 1n)];
    node.tags.push(tag);
    if (node.tags.length === NODE_TAGS) node.children = [{ tags: [] }, { tags: [] }];
    this.size++;
    for (let level = 0; level <= FORK_LEVELS; level++) this.#forks.set(forkAt(level, slot), undefined);
    return true;
  }

  cell(head = Cell.EMPTY): Cell {
    const root = this.#fork(FORK_LEVELS, 0);
    return beginCell().storeSlice(head.beginParse()).storeSlice(root.beginParse()).endCell();
  }

  /** Counts the distinct cells and bits of sets without equal keys, and the history's empty cell. */
  static measure(...sets: readonly PackedSet[]): { cells: number; bits: number } {
    let [cells, bits] = [0, 0];
    const empty = new Set([0]);
    // An empty fork of a level is one cell, however often it is referenced.
    const count = (set: PackedSet, level: number, slot: number): void => {
      if (!set.#holds(level, slot)) {
        for (let below = level; below >= 0; below--) empty.add(below);
      } else if (level === 0) {
        visit(set.#slots.get(slot)!);
      } else {
        cells++;
        const shift = 2 * (FORK_LEVELS - level);
        for (let i = 0; i < 4; i++) count(set, level - 1, slot | (i << shift));
      }
    };
    const visit = ({ tags, children }: Node): void => {
      cells++;
      bits += TAG_BITS * tags.length;
      children?.filter((child) => child.tags.length > 0).forEach(visit);
    };
    for (const set of sets) count(set, FORK_LEVELS, 0);
    return { cells: cells + empty.size, bits };
  }

  #holds(level: number, prefix: number): boolean {
    const known = 1 << (2 * (FORK_LEVELS - level));
    for (let slot = prefix; slot < 1 << SLOT_BITS; slot += known) if (this.#slots.has(slot)) return true;
    return false;
  }

  #fork(level: number, slot: number): Cell {
    const at = forkAt(level, slot);
    if (!this.#forks.has(at)) return emptyForks[level];
    let cell = this.#forks.get(at);
    if (cell === undefined) {
      const shift = 2 * (FORK_LEVELS - level);
      cell = level === 0
        ? nodeCell(this.#slots.get(slot))
        : forkCell([0, 1, 2, 3].map((i) => this.#fork(level - 1, slot | (i << shift))));
      this.#forks.set(at, cell);
    }
    return cell;
  }
}

const slotOf = (key: bigint) => Number(key & ((1n << BigInt(SLOT_BITS)) - 1n));
const tagOf = (key: bigint) => (key >> BigInt(SLOT_BITS)) & TAG_MASK;

const forkAt = (level: number, slot: number) =>
  (level << SLOT_BITS) | (slot & ((1 << (2 * (FORK_LEVELS - level))) - 1));

function forkCell(children: readonly Cell[]): Cell {
  return children.reduce((builder, child) => builder.storeRef(child), beginCell()).endCell();
}

const emptyForks = [Cell.EMPTY];
for (let level = 1; level <= FORK_LEVELS; level++) {
  emptyForks.push(forkCell(Array(4).fill(emptyForks[level - 1])));
}

function nodeCell(node: Node | undefined): Cell {
  if (node === undefined || node.tags.length === 0) return Cell.EMPTY;
  const builder = beginCell();
  for (const tag of node.tags) builder.storeUint(tag, TAG_BITS);
  for (const child of node.children ?? []) builder.storeRef(nodeCell(child));
  return builder.endCell();
}

/** The root history: two generations of 32 roots, newest first, four roots per cell. */
export class RootLog {
  newGeneration = Cell.EMPTY;
  oldGeneration = Cell.EMPTY;
  count = 0;

  push(root: bigint): void {
    const n = this.count++ % 32;
    if (n === 0) [this.oldGeneration, this.newGeneration] = [this.newGeneration, Cell.EMPTY];
    const builder = beginCell().storeUint(root, 255);
    if (n % 4 === 0) builder.storeRef(this.newGeneration);
    else builder.storeSlice(this.newGeneration.beginParse());
    this.newGeneration = builder.endCell();
  }
}

export type Claim = Omit<NumberedClaim, "id">;

export const claimValue: DictionaryValue<Claim> = {
  serialize: ({ amount, destination }, builder) => void builder.storeCoins(amount).storeAddress(destination),
  parse: (slice) => ({ amount: slice.loadCoins(), destination: slice.loadAddress() }),
};

export interface PoolState {
  readonly denomination: bigint;
  readonly deposits: number;
  readonly withdrawals: number;
  readonly debt: bigint;
  readonly touched: number;
  readonly nullifiers: PackedSet;
  readonly root: bigint;
  readonly commitments: PackedSet;
  readonly history: RootLog;
  readonly paused: boolean;
  readonly owner: Address | null;
  readonly jetton?: {
    readonly master: Address;
    readonly wallet: Address | null;
    readonly claims?: ReadonlyMap<bigint, Claim>;
  };
}

export function encodePoolData(state: PoolState): Cell {
  const { jetton } = state;
  const claims = jetton?.claims ?? new Map<bigint, Claim>();
  const head = jetton && beginCell().storeAddress(jetton.master).storeAddress(jetton.wallet)
    .storeUint(claims.size, 16).endCell();
  return beginCell()
    .storeCoins(state.denomination)
    .storeUint(state.deposits, 32)
    .storeUint(state.withdrawals, 32)
    .storeCoins(state.debt)
    .storeUint(state.touched, 32)
    .storeRef(state.nullifiers.cell(head))
    .storeUint(state.root, 255)
    .storeRef(state.commitments.cell())
    .storeRef(state.history.newGeneration)
    .storeRef(jetton ? archiveCell(state.history, claims) : state.history.oldGeneration)
    .storeBit(state.paused)
    .storeAddress(state.owner)
    .endCell();
}

function archiveCell({ oldGeneration }: RootLog, claims: ReadonlyMap<bigint, Claim>): Cell {
  const map = Dictionary.empty(Dictionary.Keys.BigUint(64), claimValue);
  for (const [id, claim] of claims) map.set(id, claim);
  return beginCell().storeRef(oldGeneration).storeDict(map).endCell();
}
