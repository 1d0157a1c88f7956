/** A pool's deposits as columns of bytes: 75 MB for 2^20, several times less than an object for each would take. */
import { Address } from "@ton/core";
import { FIELD_BYTES, fieldToBytes, isFieldElement, writeFieldBytes } from "../../../core/crypto/field.ts";
import { LeafIndex } from "../../../core/tree/leaf_index.ts";

export interface KnownDeposit {
  readonly commitment: bigint;
  readonly depositor: Address;
  readonly timestamp: number; // Unix seconds
}

const INITIAL_CAPACITY = 256;
const ADDRESS_BYTES = 33; // workchain and account id
const WORDS = FIELD_BYTES / Uint32Array.BYTES_PER_ELEMENT;

export class DepositColumns {
  #commitments = new Uint8Array(INITIAL_CAPACITY * FIELD_BYTES);
  #depositors = new Uint8Array(INITIAL_CAPACITY * ADDRESS_BYTES);
  #times = new Uint32Array(INITIAL_CAPACITY);
  readonly #index = new LeafIndex();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Throws `not_in_field` and adds nothing. */
  add({ commitment, depositor, timestamp }: KnownDeposit): void {
    if (this.#count === this.#times.length) this.#grow();
    const leafIndex = this.#count;
    writeFieldBytes(commitment, this.#commitments, leafIndex * FIELD_BYTES);
    this.#depositors[leafIndex * ADDRESS_BYTES] = depositor.workChain;
    this.#depositors.set(depositor.hash, leafIndex * ADDRESS_BYTES + 1);
    this.#times[leafIndex] = timestamp;
    this.#index.extend(this.#commitments, ++this.#count);
  }

  has(commitment: bigint): boolean {
    return this.#firstOf(commitment) >= 0;
  }

  /** Returns the leaves with this commitment, in order. */
  leavesOf(commitment: bigint): number[] {
    const first = this.#firstOf(commitment);
    if (first < 0) return [];
    const own = new Uint32Array(fieldToBytes(commitment).buffer);
    const all = new Uint32Array(this.#commitments.buffer);
    const found = [first];
    for (let i = first + 1; i < this.#count; i++) {
      let word = 0;
      while (word < WORDS && all[i * WORDS + word] === own[word]) word++;
      if (word === WORDS) found.push(i);
    }
    return found;
  }

  /** Returns the commitments of these leaves, 32 bytes each; not copied. */
  commitments(from: number, to: number): Uint8Array {
    return this.#commitments.subarray(from * FIELD_BYTES, to * FIELD_BYTES);
  }

  /** Unix seconds. */
  timeOf(leafIndex: number): number {
    return this.#times[leafIndex];
  }

  depositorOf(leafIndex: number): Address {
    const start = leafIndex * ADDRESS_BYTES;
    const workchain = this.#depositors[start] << 24 >> 24;
    return new Address(workchain, Buffer.from(this.#depositors.slice(start + 1, start + ADDRESS_BYTES)));
  }

  #firstOf(commitment: bigint): number {
    return isFieldElement(commitment) ? this.#index.indexOf(this.#commitments, fieldToBytes(commitment)) : -1;
  }

  #grow(): void {
    const [commitments, depositors, times] = [this.#commitments, this.#depositors, this.#times];
    this.#commitments = new Uint8Array(2 * commitments.length);
    this.#commitments.set(commitments);
    this.#depositors = new Uint8Array(2 * depositors.length);
    this.#depositors.set(depositors);
    this.#times = new Uint32Array(2 * times.length);
    this.#times.set(times);
  }
}
