/** Collects leaves into large pieces, and has one hashed while the next one is collected. */
import { FIELD_BYTES, writeBytes } from "../core/field.ts";
import type { MerkleTree } from "../core/merkle_tree.ts";
import type { TreeWork } from "../core/tree_work.ts";

/** Leaves of a piece: enough for every core to have subtrees of it, and few enough that hashing begins early. */
const PIECE = 2 ** 14;
const FIRST_PIECE = 2 ** 10;

/** Feeds one tree, which nobody else appends to until {@linkcode LeafCollector.rest} has returned. */
export class LeafCollector {
  readonly #tree: MerkleTree;
  readonly #work: TreeWork;
  readonly #longest: number;
  #piece = new Uint8Array(FIRST_PIECE * FIELD_BYTES);
  #filled = 0;
  #appended: Promise<void> = Promise.resolve();
  #added: number;

  /** @param piece leaves of one */
  constructor(tree: MerkleTree, work: TreeWork, piece: number = PIECE) {
    this.#tree = tree;
    this.#work = work;
    this.#longest = piece * FIELD_BYTES;
    this.#added = tree.size;
  }

  /** How many leaves the tree will have. */
  get size(): number {
    return this.#added;
  }

  /** @throws {Problem} `not_in_field`, and what an earlier piece failed with */
  async add(leaf: bigint): Promise<void> {
    if (this.#filled === this.#piece.length) await this.#makeRoom();
    writeBytes(leaf, this.#piece, this.#filled);
    this.#filled += FIELD_BYTES;
    this.#added++;
  }

  /** Adds leaves, n * 32 big-endian bytes, which may change afterwards. @throws {Problem} as {@link add} does */
  async addBytes(leaves: Uint8Array): Promise<void> {
    for (let rest = leaves; rest.length > 0;) {
      if (this.#filled === this.#piece.length) await this.#makeRoom();
      const taken = rest.subarray(0, this.#piece.length - this.#filled);
      this.#piece.set(taken, this.#filled);
      this.#filled += taken.length;
      this.#added += taken.length / FIELD_BYTES;
      rest = rest.subarray(taken.length);
    }
  }

  /** Appends what is left, and waits until the tree has all. */
  async finish(): Promise<void> {
    if (this.#filled > 0) await this.#append();
    await this.#appended;
  }

  /** Waits until nothing is being appended any more, whatever came of it: to be called however collecting ended. */
  async rest(): Promise<void> {
    await this.#appended.catch(() => {});
  }

  async #append(): Promise<void> {
    await this.#appended;
    this.#appended = this.#tree.appendWith(this.#piece.subarray(0, this.#filled), this.#work);
    this.#appended.catch(() => {}); // whoever comes next is told
    this.#filled = 0; // the tree has copied them already
  }

  async #makeRoom(): Promise<void> {
    if (this.#piece.length === this.#longest) await this.#append();
    else this.#widen();
  }

  #widen(): void {
    const wider = new Uint8Array(this.#longest);
    wider.set(this.#piece);
    this.#piece = wider;
  }
}
