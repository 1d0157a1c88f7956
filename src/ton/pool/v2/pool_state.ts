/** The state of a version 2 pool, written from contracts/v2/SPEC.md and not from the Tolk sources. */
import { type Address, beginCell, Cell, Dictionary } from "@ton/core";
import { zeros } from "../../../core/tree/zeros.ts";
import type { Claim } from "../pool_getters.ts";
import { claimValue } from "../pool_storage.ts";
import { SpentSet } from "../../../core/protocol/v2/spent_set.ts";

const LIST_SIZE = 256;
const PAGE_SIZE = 4;
const WINDOW = 1024;

interface V2JettonState {
  readonly master: Address;
  readonly wallet: Address | null; // null until the master answered
  readonly claims: readonly Claim[];
}

/** Everything that a version 2 pool stores. */
export interface V2PoolState {
  readonly denomination: bigint;
  readonly deposits: number;
  readonly settled: number;
  readonly withdrawals: number;
  readonly debt: bigint;
  readonly pending: bigint;
  readonly touched: number;
  readonly settledAt: number;
  readonly waitingSince: number;
  readonly paused: boolean;
  readonly spent: SpentSet;
  readonly commitment: (leafIndex: number) => bigint;
  readonly roots: readonly bigint[]; // the newest roots, oldest first
  readonly rootCount?: number;
  readonly generation: number;
  readonly owner: Address | null;
  readonly jetton?: V2JettonState; // undefined in a native pool
}

export function emptyV2PoolState(
  settings: Pick<V2PoolState, "denomination" | "owner" | "generation" | "jetton">,
): V2PoolState {
  return {
    ...settings,
    deposits: 0,
    settled: 0,
    withdrawals: 0,
    debt: 0n,
    pending: 0n,
    touched: 0,
    settledAt: 0,
    waitingSince: 0,
    paused: false,
    spent: new SpentSet(),
    commitment: () => 0n,
    roots: [],
  };
}

export function encodeV2PoolData(state: V2PoolState): Cell {
  const { newest, complete } = encodeQueue(state);
  return beginCell()
    .storeCoins(state.denomination)
    .storeUint(state.deposits, 32)
    .storeUint(state.settled, 32)
    .storeCoins(state.pending)
    .storeUint(state.touched, 32)
    .storeUint(state.waitingSince, 32)
    .storeBit(state.paused)
    .storeRef(newest)
    .storeDict(complete)
    .storeUint(state.withdrawals, 32)
    .storeCoins(state.debt)
    .storeUint(state.settledAt, 32)
    .storeUint(state.rootCount ?? state.roots.length, 32)
    .storeUint(state.roots.at(-1) ?? zeros[20], 255)
    .storeRef(state.spent.table())
    .storeRef(state.jetton ? encodeLedger(state, state.jetton) : encodeRoots(state))
    .endCell();
}

/** Builds a list of commitments, oldest first in `commitments`. */
function encodeList(commitments: readonly bigint[]): Cell {
  let list = Cell.EMPTY;
  for (let start = 0; start < commitments.length; start += PAGE_SIZE) {
    const page = beginCell();
    for (const commitment of commitments.slice(start, start + PAGE_SIZE).reverse()) {
      page.storeUint(commitment, 255);
    }
    if (start > 0) page.storeRef(list);
    list = page.endCell();
  }
  return list;
}

/** Builds the newest list and the dictionary of complete ones. */
export function encodeQueue(
  { deposits, settled, commitment }: Pick<V2PoolState, "deposits" | "settled" | "commitment">,
) {
  const complete = Dictionary.empty(Dictionary.Keys.Uint(12), Dictionary.Values.Cell());
  let newest = Cell.EMPTY;
  for (let start = settled - settled % LIST_SIZE; start < deposits; start += LIST_SIZE) {
    const size = Math.min(LIST_SIZE, deposits - start);
    const list = encodeList(Array.from({ length: size }, (_, i) => commitment(start + i)));
    if (size === LIST_SIZE) complete.set(start / LIST_SIZE, list);
    else newest = list;
  }
  return { newest, complete };
}

/** Builds the cell that a jetton pool stores in place of the root history. */
function encodeLedger(
  state: Pick<V2PoolState, "roots" | "rootCount" | "generation" | "owner">,
  { master, wallet, claims }: V2JettonState,
): Cell {
  const map = Dictionary.empty(Dictionary.Keys.BigUint(64), claimValue);
  for (const claim of claims) map.set(claim.id, claim);
  return beginCell()
    .storeUint(state.generation, 8)
    .storeAddress(state.owner)
    .storeAddress(master)
    .storeAddress(wallet)
    .storeUint(claims.length, 16)
    .storeRef(encodeRoots({ ...state, jetton: {} }))
    .storeDict(map)
    .endCell();
}

/** Builds the root history. In a native pool its bits are the settings. */
export function encodeRoots(
  { roots, rootCount = roots.length, generation, owner, jetton }:
    & Pick<V2PoolState, "roots" | "rootCount" | "generation" | "owner">
    & { readonly jetton?: unknown },
): Cell {
  const places = Array<bigint>(WINDOW).fill(0n);
  roots.slice(-WINDOW).forEach((root, i, { length }) => places[(rootCount - length + i) % WINDOW] = root);
  const fork = (level: number, prefix: number): Cell => {
    const builder = beginCell();
    if (level === 0 && jetton === undefined) builder.storeUint(generation, 8).storeAddress(owner);
    for (let i = 0; i < 4; i++) {
      if (level === 4) builder.storeUint(places[4 * prefix + i], 255);
      else builder.storeRef(child(level + 1, prefix + i * 4 ** level));
    }
    return builder.endCell();
  };
  const used = new Set(
    places.flatMap((root, place) =>
      root === 0n ? [] : [1, 2, 3, 4].map((level) => [level, (place >> 2) % 4 ** level].join())
    ),
  );
  const empty = new Map<number, Cell>();
  const child = (level: number, prefix: number): Cell => {
    if (used.has([level, prefix].join())) return fork(level, prefix);
    if (!empty.has(level)) empty.set(level, fork(level, prefix));
    return empty.get(level)!;
  };
  return fork(0, 0);
}

export function decodeV2PoolData(data: Cell) {
  const slice = data.beginParse();
  const fields = {
    denomination: slice.loadCoins(),
    deposits: slice.loadUint(32),
    settled: slice.loadUint(32),
    pending: slice.loadCoins(),
    touched: slice.loadUint(32),
    waitingSince: slice.loadUint(32),
    paused: slice.loadBit(),
    newest: slice.loadRef(),
    complete: slice.loadDict(Dictionary.Keys.Uint(12), Dictionary.Values.Cell()),
    withdrawals: slice.loadUint(32),
    debt: slice.loadCoins(),
    settledAt: slice.loadUint(32),
    rootCount: slice.loadUint(32),
    root: slice.loadUintBig(255),
    spent: slice.loadRef(),
    roots: slice.loadRef(),
  };
  slice.endParse();
  return fields;
}

/** Reads the cell that a jetton pool stores in place of the root history. */
export function decodeLedger(ledger: Cell) {
  const slice = ledger.beginParse();
  const fields = {
    generation: slice.loadUint(8),
    owner: slice.loadMaybeAddress(),
    master: slice.loadAddress(),
    wallet: slice.loadMaybeAddress(),
    claimCount: slice.loadUint(16),
    roots: slice.loadRef(),
    claims: slice.loadDict(Dictionary.Keys.BigUint(64), claimValue),
  };
  slice.endParse();
  return fields;
}
