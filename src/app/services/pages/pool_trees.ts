import type { MerkleTree } from "../../../core/tree/merkle_tree.ts";

/** The verified trees of this visit, by the pools' raw addresses. */
export class PoolTrees {
  readonly #trees = new Map<string, MerkleTree>();
  readonly #turns = new Map<string, Promise<unknown>>();

  /** Runs one download of a pool at a time, because a tree cannot grow twice at once. */
  async grow<T>(
    pool: string,
    download: (known: MerkleTree | undefined) => Promise<T>,
    treeOf: (result: T) => MerkleTree,
  ): Promise<T> {
    const turn = (this.#turns.get(pool) ?? Promise.resolve()).then(() => download(this.#trees.get(pool)));
    this.#turns.set(pool, turn.catch(() => {}));
    const result = await turn;
    this.#trees.set(pool, treeOf(result));
    return result;
  }
}
