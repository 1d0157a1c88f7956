/**
 * Pools of any size and shape for tests. The state itself is src/ton/pool/pool_storage.ts, which follows
 * contracts/v1/SPEC.md and not the Tolk sources.
 */
import type { Cell } from "@ton/core";
import { NODE_TAGS, PackedSet, SLOT_BITS, TAG_BITS, TAG_MASK } from "../../src/ton/pool/pool_storage.ts";

export {
  type Claim,
  encodePoolData,
  PackedSet as SetModel,
  type PoolState,
  RootLog as RootHistoryModel,
} from "../../src/ton/pool/pool_storage.ts";

/**
 * The maximum number of full nodes on a path: ten tags with the same first 98 bits exist, with the same first
 * 99 do not.
 */
const MAX_FULL_PATH = 99;

/**
 * Puts `fullNodes` full nodes on the path of `key`, as an attacker who chooses keys would, and a few tags at
 * its end.
 */
export function fillPath(set: PackedSet, key: bigint, fullNodes = MAX_FULL_PATH): void {
  const slot = key & 0xfffn;
  const target = (key >> BigInt(SLOT_BITS)) & TAG_MASK;
  const put = (tag: bigint) => set.add((tag << BigInt(SLOT_BITS)) | slot);
  for (let depth = 0; depth <= fullNodes; depth++) {
    const width = BigInt(TAG_BITS - depth);
    const low = target & ((1n << BigInt(depth)) - 1n);
    const wanted = depth < fullNodes ? NODE_TAGS : NODE_TAGS - 1;
    // The first tags leave the path here, so that no other tags share the nodes below with theirs.
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
 * Returns the largest set of `keys` keys: every slot is a tree of full nodes with one tag per leaf.
 *
 * @param within the slots to fill, default all
 */
export function largestSet(keys: number, firstTag = 1n, within = (_slot: number) => true): PackedSet {
  const set = new PackedSet();
  const slots = 1 << SLOT_BITS;
  const fullNodes = Math.floor((keys - slots) / 11);
  let unique = firstTag;
  // The bits above the path make tags unique. Otherwise two leaves could be equal, and a single cell.
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

/**
 * Returns the number of distinct cells below these roots, and their bits, as the account limit counts them.
 */
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
