/** The spent set of a version 2 pool, written from contracts/v2/SPEC.md and not from the Tolk sources. */
import { beginCell, Cell } from "@ton/core";
import { sha256 } from "@noble/hashes/sha2.js";
import { SPENT_KEY_BITS } from "./pool_constants.ts";

const SLOT_BITS = 12n;
const TAG_BITS = BigInt(SPENT_KEY_BITS) - SLOT_BITS;
const FULL_TAGS = 5;
const FORK_LEVELS = 5;
const DIGESTS_PER_CELL = 4;

interface Node {
  readonly tags: bigint[];
  /** The children of a node with five tags. An absent child is undefined. */
  children?: [Node | undefined, Node | undefined];
  /** undefined if a tag was added below since it was computed. */
  digest?: bigint;
}

/** A spent set. Keys are nullifier hashes, added in the order of the withdrawals' logs: the digests depend on it. */
export class SpentSet {
  readonly #slots = new Map<number, Node>();
  size = 0;

  /** @param elsewhere digests of slots whose keys are unknown. Default: these slots are empty */
  constructor(readonly elsewhere?: (slot: number) => bigint) {}

  has(key: bigint): boolean {
    return this.path(key).some(({ tags }) => tags.includes(tagOf(key)));
  }

  add(key: bigint): boolean {
    const path = this.path(key);
    const tag = tagOf(key);
    if (path.some(({ tags }) => tags.includes(tag))) return false;
    for (const node of path) node.digest = undefined;
    const last = path.at(-1);
    if (last === undefined) this.#slots.set(slotOf(key), { tags: [tag] });
    else if (last.children) last.children[sideAt(tag, path.length - 1)] = { tags: [tag] };
    else if (last.tags.push(tag) === FULL_TAGS) last.children = [undefined, undefined];
    this.size++;
    return true;
  }

  /** Returns a copy of the slots that these keys belong to. */
  slotsOf(keys: readonly bigint[]): SpentSet {
    const copy = new SpentSet();
    for (const slot of new Set(keys.map(slotOf))) {
      const node = this.#slots.get(slot);
      if (node !== undefined) copy.#slots.set(slot, cloneNode(node));
    }
    return copy;
  }

  clone(): SpentSet {
    const copy = new SpentSet(this.elsewhere);
    for (const [slot, node] of this.#slots) copy.#slots.set(slot, cloneNode(node));
    copy.size = this.size;
    return copy;
  }

  path(key: bigint): Node[] {
    const path: Node[] = [];
    let node = this.#slots.get(slotOf(key));
    while (node !== undefined) {
      path.push(node);
      node = node.children?.[sideAt(tagOf(key), path.length - 1)];
    }
    return path;
  }

  /** Returns the path of the slot of a nullifier hash, which a withdrawal carries; null if the slot is empty. */
  slotPath(key: bigint): Cell | null {
    return this.path(key).reduceRight<Cell | null>((next, node) => {
      const builder = beginCell().storeBuffer(nodeBytes(node));
      return (next === null ? builder : builder.storeRef(next)).endCell();
    }, null);
  }

  table(): Cell {
    return this.#fork(0, 0);
  }

  #fork(level: number, prefix: number): Cell {
    const step = 4 ** level;
    const builder = beginCell();
    for (let i = 0; i < DIGESTS_PER_CELL; i++) {
      const place = prefix + i * step;
      if (level === FORK_LEVELS) {
        const node = this.#slots.get(place);
        builder.storeUint(node ? digestOf(node) >> 1n : this.elsewhere?.(place) ?? 0n, 255);
      } else {
        builder.storeRef(
          this.#slots.size === 0 && !this.elsewhere ? emptyTable[level + 1] : this.#fork(level + 1, place),
        );
      }
    }
    return builder.endCell();
  }
}

/** Returns the path of the slot of `key` in the set of `keys`, which are in the order of their logs; null if it is empty. */
export function slotPathAmong(keys: Iterable<bigint>, key: bigint): Cell | null {
  const slot = new SpentSet();
  for (const other of keys) if (slotOf(other) === slotOf(key)) slot.add(other);
  return slot.slotPath(key);
}

function cloneNode({ tags, children, digest }: Node): Node {
  const [left, right] = children ?? [];
  return {
    tags: [...tags],
    children: children && [left && cloneNode(left), right && cloneNode(right)],
    digest,
  };
}

/** Returns the slot of a nullifier hash. */
export const slotOf = (key: bigint): number => Number(key & ((1n << SLOT_BITS) - 1n));
const tagOf = (key: bigint) => (key >> SLOT_BITS) & ((1n << TAG_BITS) - 1n);
const sideAt = (tag: bigint, depth: number) => Number((tag >> BigInt(depth)) & 1n) as 0 | 1;

function toBytes(value: bigint, length: number): Uint8Array {
  return Buffer.from(value.toString(16).padStart(2 * length, "0"), "hex");
}

function nodeBytes({ tags, children }: Node): Buffer {
  const digests = children?.map((child) => toBytes(child ? digestOf(child) : 0n, 32)) ?? [];
  return Buffer.concat([...tags.map((tag) => toBytes(tag, 12)), ...digests]);
}

function digestOf(node: Node): bigint {
  return node.digest ??= BigInt(`0x${Buffer.from(sha256(nodeBytes(node))).toString("hex")}`);
}

const emptyTable: Cell[] = [];
emptyTable[FORK_LEVELS] = beginCell().storeUint(0, 255).storeUint(0, 255).storeUint(0, 255).storeUint(0, 255)
  .endCell();
for (let level = FORK_LEVELS - 1; level >= 0; level--) {
  const builder = beginCell();
  for (let i = 0; i < 4; i++) builder.storeRef(emptyTable[level + 1]);
  emptyTable[level] = builder.endCell();
}
