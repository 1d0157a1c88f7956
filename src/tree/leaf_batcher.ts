/** Collects leaves into large batches. One batch is hashed while the next one is collected. */
import { FIELD_BYTES, writeFieldBytes } from "../core/crypto/field.ts";
import type { MerkleTree } from "../core/tree/merkle_tree.ts";
import type { TreeHasher } from "../core/tree/tree_hasher.ts";

/** Large enough to give every core subtrees, small enough that hashing starts early. */
const MAX_BATCH_LEAVES = 2 ** 14;
const INITIAL_BATCH_LEAVES = 2 ** 10;

/** Feeds one tree, to which nothing else may append until {@linkcode LeafBatcher.waitUntilIdle} returns. */
export class LeafBatcher {
  readonly #maxBatchBytes: number;
  #batch = new Uint8Array(INITIAL_BATCH_LEAVES * FIELD_BYTES);
  #batchLength = 0;
  #pendingAppend: Promise<void> = Promise.resolve();
  #size: number;

  constructor(
    private readonly tree: MerkleTree,
    private readonly hasher: TreeHasher,
    maxBatchLeaves: number = MAX_BATCH_LEAVES,
  ) {
    this.#maxBatchBytes = maxBatchLeaves * FIELD_BYTES;
    this.#size = tree.size;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a leaf. Throws `not_in_field`, and the error of an earlier batch. */
  async add(leaf: bigint): Promise<void> {
    if (this.#batchLength === this.#batch.length) await this.#makeRoom();
    writeFieldBytes(leaf, this.#batch, this.#batchLength);
    this.#batchLength += FIELD_BYTES;
    this.#size++;
  }

  /** Adds leaves (n * 32 big-endian bytes). Throws as {@linkcode add} does. */
  async addBytes(leaves: Uint8Array): Promise<void> {
    for (let rest = leaves; rest.length > 0;) {
      if (this.#batchLength === this.#batch.length) await this.#makeRoom();
      const fitting = rest.subarray(0, this.#batch.length - this.#batchLength);
      this.#batch.set(fitting, this.#batchLength);
      this.#batchLength += fitting.length;
      this.#size += fitting.length / FIELD_BYTES;
      rest = rest.subarray(fitting.length);
    }
  }

  async flush(): Promise<void> {
    if (this.#batchLength > 0) await this.#appendBatch();
    await this.#pendingAppend;
  }

  async waitUntilIdle(): Promise<void> {
    await this.#pendingAppend.catch(() => {});
  }

  async #appendBatch(): Promise<void> {
    await this.#pendingAppend;
    this.#pendingAppend = this.tree.appendUsing(this.#batch.subarray(0, this.#batchLength), this.hasher);
    this.#pendingAppend.catch(() => {}); // the next call throws it
    this.#batchLength = 0; // the tree has already copied the leaves
  }

  async #makeRoom(): Promise<void> {
    if (this.#batch.length === this.#maxBatchBytes) await this.#appendBatch();
    else this.#growBatch();
  }

  #growBatch(): void {
    const wider = new Uint8Array(this.#maxBatchBytes);
    wider.set(this.#batch);
    this.#batch = wider;
  }
}
