/** The nullifier hashes of a pool's withdrawals in the order of its log, as pages. */
import { FIELD_BYTES, fieldFromBytes, fieldToBytes, writeFieldBytes } from "../../../core/crypto/field.ts";
import { FINAL_PAYMENT_DEPTH } from "../../../core/protocol/pool_constants.ts";
import { LeafIndex } from "../../../core/tree/leaf_index.ts";
import type { LogEntry } from "../../../store/store.ts";

export interface SpentPage {
  readonly from: number;
  readonly count: number;
  readonly nextFrom: number | null; // null on the last page
  readonly bytes: Uint8Array<ArrayBuffer>; // 32 for each nullifier hash, big-endian
  /** Whether the page is full and its payments are deep enough that it never changes. */
  readonly isImmutable: boolean;
}

const INITIAL_CAPACITY = 256;

export class NullifierLog {
  #bytes = new Uint8Array(INITIAL_CAPACITY * FIELD_BYTES);
  #length = 0;
  #index = new LeafIndex();

  get length(): number {
    return this.#length;
  }

  at(position: number): bigint {
    return fieldFromBytes(this.#bytes.subarray(position * FIELD_BYTES, (position + 1) * FIELD_BYTES));
  }

  has(nullifierHash: bigint): boolean {
    this.#index.extend(this.#bytes, this.#length);
    return this.#index.indexOf(this.#bytes, fieldToBytes(nullifierHash)) >= 0;
  }

  append(nullifierHash: bigint): void {
    const offset = this.#length * FIELD_BYTES;
    if (offset === this.#bytes.length) {
      const wider = new Uint8Array(2 * this.#bytes.length);
      wider.set(this.#bytes);
      this.#bytes = wider;
    }
    writeFieldBytes(nullifierHash, this.#bytes, offset);
    this.#length++;
  }

  clear(): void {
    this.#bytes = new Uint8Array(INITIAL_CAPACITY * FIELD_BYTES);
    this.#length = 0;
    this.#index = new LeafIndex();
  }

  /** Reads the last known payment again, because another replica may have rolled the log back. */
  async load(readFrom: (position: number) => AsyncIterable<LogEntry>, signal: AbortSignal): Promise<void> {
    const start = Math.max(0, this.#length - 1);
    let next = start;
    for await (const { position, value } of readFrom(start)) {
      if (signal.aborted) return;
      if (position !== next) throw new RangeError(`the stored log has a gap at ${next}`);
      if (position < this.#length && value !== this.at(position)) break;
      if (position === this.#length) this.append(value);
      next++;
    }
    if (next >= this.#length) return;
    this.clear();
    await this.load(readFrom, signal);
  }

  page(from: number, limit: number): SpentPage {
    const end = Math.min(this.#length, from + limit);
    const count = Math.max(0, end - from);
    return {
      from,
      count,
      nextFrom: count > 0 && end < this.#length ? end : null,
      bytes: this.#bytes.slice(from * FIELD_BYTES, (from + count) * FIELD_BYTES),
      isImmutable: count === limit && end + FINAL_PAYMENT_DEPTH <= this.#length,
    };
  }
}
