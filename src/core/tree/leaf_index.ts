/** An open-addressing table, 8 MB for 2^20 leaves. Each leaf of a deliberate collision costs a deposit. */
import { FIELD_BYTES } from "../crypto/field.ts";

const EMPTY_SLOT = 0;
const EXPENSIVE_LEAF_COUNT = 2_048;

/** Must be extended with every leaf, in order. Finds the first of equal leaves. */
export class LeafIndex {
  #slots: Uint32Array = new Uint32Array(1024); // leaf number + 1, or EMPTY
  #count = 0;

  get count(): number {
    return this.#count;
  }

  isExpensiveToExtend(end: number): boolean {
    return end - (2 * end > this.#slots.length ? 0 : this.#count) > EXPENSIVE_LEAF_COUNT;
  }

  get slots(): Uint32Array {
    return this.#slots;
  }

  restore(slots: Uint32Array, count: number): void {
    this.#slots = slots;
    this.#count = count;
  }

  extend(leaves: Uint8Array, end: number): void {
    if (2 * end > this.#slots.length) {
      this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * end)));
      this.#count = 0; // the table grew, so every leaf gets a new slot
    }
    for (; this.#count < end; this.#count++) {
      const slot = this.#find(
        leaves,
        leaves.subarray(this.#count * FIELD_BYTES, (this.#count + 1) * FIELD_BYTES),
      );
      if (this.#slots[slot] === EMPTY_SLOT) this.#slots[slot] = this.#count + 1;
    }
  }

  indexOf(leaves: Uint8Array, leaf: Uint8Array): number {
    return this.#slots[this.#find(leaves, leaf)] - 1;
  }

  #find(leaves: Uint8Array, leaf: Uint8Array): number {
    const mask = this.#slots.length - 1;
    let slot = hashLeaf(leaf) & mask;
    while (
      this.#slots[slot] !== EMPTY_SLOT && !leafEquals(leaves, (this.#slots[slot] - 1) * FIELD_BYTES, leaf)
    ) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}

/** FNV-1a over all 32 bytes, because leaves need not be digests. */
function hashLeaf(leaf: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < FIELD_BYTES; i++) hash = Math.imul(hash ^ leaf[i], 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function leafEquals(leaves: Uint8Array, offset: number, leaf: Uint8Array): boolean {
  let i = 0;
  while (i < FIELD_BYTES && leaves[offset + i] === leaf[i]) i++;
  return i === FIELD_BYTES;
}
