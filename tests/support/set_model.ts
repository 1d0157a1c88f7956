/**
 * The pool's state in plain TypeScript, written from contracts/SPEC.md and not from the Tolk sources: the packed set, the
 * log of roots, the storage cell. Tests compare it with the chain's, and put pools of any size and shape in place by it.
 */
import { type Address, beginCell, Cell } from "@ton/core";

const TAG_BITS = 102;
const NODE_TAGS = 10;
const SLOT_BITS = 12;
const FORK_LEVELS = 6;
const TAG_MASK = (1n << BigInt(TAG_BITS)) - 1n;

interface Node {
  readonly tags: bigint[];
  children?: readonly [Node, Node];
}

/** A set of one kind: 4096 slots under forks, a trie of ten-tag nodes in each. */
export class SetModel {
  readonly #slots = new Map<number, Node>();
  /** Forks with a key below them, by level and path: undefined where a key was added since the cell was made. */
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

  /** False when the key is there already. */
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

  /** `head`: what the root fork carries in its bits. */
  cell(head = Cell.EMPTY): Cell {
    const root = this.#fork(FORK_LEVELS, 0);
    return beginCell().storeSlice(head.beginParse()).storeSlice(root.beginParse()).endCell();
  }

  /**
   * Different cells of these sets together, and their bits, counted without making them; keys are taken to differ. The
   * empty cell is among them always: the log of roots ends in it.
   */
  static measure(...sets: readonly SetModel[]): { cells: number; bits: number } {
    let [cells, bits] = [0, 0];
    const empty = new Set([0]);
    // Whether there is anything below; each level's empty fork is one cell, however often it is referred to.
    const walk = (set: SetModel, level: number, slot: number): void => {
      if (!set.#holds(level, slot)) {
        for (let below = level; below >= 0; below--) empty.add(below);
      } else if (level === 0) {
        visit(set.#slots.get(slot)!);
      } else {
        cells++;
        const shift = 2 * (FORK_LEVELS - level);
        for (let i = 0; i < 4; i++) walk(set, level - 1, slot | (i << shift));
      }
    };
    const visit = ({ tags, children }: Node): void => {
      cells++;
      bits += TAG_BITS * tags.length;
      children?.filter((child) => child.tags.length > 0).forEach(visit);
    };
    for (const set of sets) walk(set, FORK_LEVELS, 0);
    return { cells: cells + empty.size, bits };
  }

  /** Whether a slot below this fork, at `level` levels above the slots, has a tag. */
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

/** A number for the fork over a slot: its level, and those bits of the slot that lead to it. */
const forkAt = (level: number, slot: number) =>
  (level << SLOT_BITS) | (slot & ((1 << (2 * (FORK_LEVELS - level))) - 1));

function forkCell(children: readonly Cell[]): Cell {
  return children.reduce((builder, child) => builder.storeRef(child), beginCell()).endCell();
}

/** What forks without a key are, by level. */
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

/** Full nodes that the deepest path can have: ten tags that agree in their first 98 bits exist, and in 99 do not. */
export const DEEPEST_PATH = 99;

/** Puts `fullNodes` full nodes on the path of `key`, as an attacker who can choose keys would, and a few tags at its end. */
export function deepen(set: SetModel, key: bigint, fullNodes = DEEPEST_PATH): void {
  const slot = key & 0xfffn;
  const target = (key >> BigInt(SLOT_BITS)) & TAG_MASK;
  const put = (tag: bigint) => set.add((tag << BigInt(SLOT_BITS)) | slot);
  for (let depth = 0; depth <= fullNodes; depth++) {
    const width = BigInt(TAG_BITS - depth);
    const low = target & ((1n << BigInt(depth)) - 1n);
    const wanted = depth < fullNodes ? NODE_TAGS : NODE_TAGS - 1;
    // First those that leave the path right here, so that the nodes below have their tags to themselves.
    const leaving = (high: bigint) => (high & 1n) !== ((target >> BigInt(depth)) & 1n);
    let found = 0;
    for (const first of [true, false]) {
      for (let high = 0n; high < (1n << width) && found < wanted && high < 64n; high++) {
        const tag = (high << BigInt(depth)) | low;
        if (tag !== target && leaving(high) === first && put(tag)) found++;
      }
    }
    if (found < wanted && depth < fullNodes) throw new Error(`no ten tags at depth ${depth}`);
  }
}

/**
 * The largest set that `keys` keys can make: every slot a tree of full nodes with one tag in each leaf.
 *
 * @param within slots to fill, when not all
 */
export function largestSet(keys: number, firstTag = 1n, within = (_slot: number) => true): SetModel {
  const set = new SetModel();
  const slots = 1 << SLOT_BITS;
  const fullNodes = Math.floor((keys - slots) / 11);
  let unique = firstTag;
  // What makes a tag unique lies above its path, or two leaves could be equal, and one cell.
  const ABOVE_PATHS = 16n;
  const put = (slot: number, path: bigint) => {
    const tag = (unique++ << ABOVE_PATHS) | path;
    if (within(slot)) set.add((tag << BigInt(SLOT_BITS)) | BigInt(slot));
  };
  for (let slot = 0; slot < slots; slot++) {
    const full = Math.floor(fullNodes / slots) + (slot < fullNodes % slots ? 1 : 0);
    const open: [bigint, number][] = [[0n, 0]];
    for (let i = 0; i < full; i++) {
      const [path, depth] = open.shift()!;
      for (let tag = 0; tag < NODE_TAGS; tag++) put(slot, path);
      open.push([path, depth + 1], [path | (1n << BigInt(depth)), depth + 1]);
    }
    for (const [path] of open) put(slot, path);
  }
  return set;
}

/** The log of roots: two generations of 32, newest first, four roots a cell. */
export class HistoryModel {
  young = Cell.EMPTY;
  old = Cell.EMPTY;
  count = 0;

  push(root: bigint): void {
    const n = this.count++ % 32;
    if (n === 0) [this.old, this.young] = [this.young, Cell.EMPTY];
    const builder = beginCell().storeUint(root, 255);
    if (n % 4 === 0) builder.storeRef(this.young);
    else builder.storeSlice(this.young.beginParse());
    this.young = builder.endCell();
  }
}

/** Everything that a pool stores. */
export interface PoolState {
  readonly denomination: bigint;
  readonly deposits: number;
  readonly withdrawals: number;
  readonly debt: bigint;
  readonly touched: number;
  readonly nullifiers: SetModel;
  readonly root: bigint;
  readonly commitments: SetModel;
  readonly history: HistoryModel;
  readonly paused: boolean;
  readonly owner: Address | null;
  /** Of a jetton pool: its master and, once discovered, its wallet. */
  readonly jetton?: { readonly master: Address; readonly wallet: Address | null };
}

/** The storage cell. */
export function poolData(state: PoolState): Cell {
  const { jetton } = state;
  const head = jetton && beginCell().storeAddress(jetton.master).storeAddress(jetton.wallet).endCell();
  return beginCell()
    .storeCoins(state.denomination)
    .storeUint(state.deposits, 32)
    .storeUint(state.withdrawals, 32)
    .storeCoins(state.debt)
    .storeUint(state.touched, 32)
    .storeRef(state.nullifiers.cell(head))
    .storeUint(state.root, 255)
    .storeRef(state.commitments.cell())
    .storeRef(state.history.young)
    .storeRef(state.history.old)
    .storeBit(state.paused)
    .storeAddress(state.owner)
    .endCell();
}

/** Number of different cells below and with these: what the account limit counts. */
export function countCells(...roots: Cell[]): { cells: number; bits: number } {
  const seen = new Set<string>();
  const open = [...roots];
  let bits = 0;
  for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
    const hash = cell.hash().toString("latin1");
    if (seen.has(hash)) continue;
    seen.add(hash);
    bits += cell.bits.length;
    open.push(...cell.refs);
  }
  return { cells: seen.size, bits };
}
