/**
 * Finds a leaf by its value: an open-addressing table of leaf numbers over the tree's own bytes, 8 MB for 2^20 leaves.
 * It holds no leaf itself and must be told of every one, in order.
 *
 * Leaves are chosen by depositors, who could aim them at one slot; each costs a deposit, and the worst they can make of
 * a look-up is one pass over the table.
 */
import { FIELD_BYTES } from "./field.ts";

const EMPTY = 0;
/** Leaves taken in at a time that are worth handing to somebody else. */
const LARGE = 2_048;

/** See the module. The first of equal leaves is found. */
export class LeafIndex {
  #slots: Uint32Array = new Uint32Array(1024); // leaf number + 1, or EMPTY
  #count = 0;

  /** How many leaves are in it: leaves 0 to count - 1. */
  get count(): number {
    return this.#count;
  }

  /** Whether {@linkcode extend} would take long: many leaves are new, or all of them get another slot. */
  isLargeWork(end: number): boolean {
    return end - (2 * end > this.#slots.length ? 0 : this.#count) > LARGE;
  }

  /** Its table, leaf numbers from 1 on, 0 in free slots: what {@linkcode adopt} takes. */
  get slots(): Uint32Array {
    return this.#slots;
  }

  /** Becomes the index of `count` leaves with these {@linkcode slots}. */
  adopt(slots: Uint32Array, count: number): void {
    this.#slots = slots;
    this.#count = count;
  }

  /** Takes in leaves `count` to `end` - 1 of `leaves`. */
  extend(leaves: Uint8Array, end: number): void {
    if (2 * end > this.#slots.length) {
      this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * end)));
      this.#count = 0; // every leaf has another slot now
    }
    for (; this.#count < end; this.#count++) {
      const slot = this.#find(
        leaves,
        leaves.subarray(this.#count * FIELD_BYTES, (this.#count + 1) * FIELD_BYTES),
      );
      if (this.#slots[slot] === EMPTY) this.#slots[slot] = this.#count + 1;
    }
  }

  /** The number of the leaf with these bytes, or -1. */
  indexOf(leaves: Uint8Array, leaf: Uint8Array): number {
    return this.#slots[this.#find(leaves, leaf)] - 1;
  }

  /** The slot that holds `leaf`, or the empty one where it belongs. */
  #find(leaves: Uint8Array, leaf: Uint8Array): number {
    const mask = this.#slots.length - 1;
    let slot = mix(leaf) & mask;
    while (this.#slots[slot] !== EMPTY && !equal(leaves, (this.#slots[slot] - 1) * FIELD_BYTES, leaf)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}

/** FNV-1a over the 32 bytes: leaves need not be digests, small numbers included. */
function mix(leaf: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < FIELD_BYTES; i++) hash = Math.imul(hash ^ leaf[i], 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function equal(leaves: Uint8Array, offset: number, leaf: Uint8Array): boolean {
  let i = 0;
  while (i < FIELD_BYTES && leaves[offset + i] === leaf[i]) i++;
  return i === FIELD_BYTES;
}
