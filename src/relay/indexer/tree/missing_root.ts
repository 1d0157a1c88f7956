/** Measures how long the tree has lacked the deposits of a root that the pool reports. */
import type { PoolState } from "../pool_state.ts";

/** Detects an endpoint that omits the newest deposits: without them, the tree's root is still among the last roots. */
export class MissingRootTimer {
  #missing: { readonly root: bigint; readonly since: number } | undefined;

  /** Returns 0 if no root is missing. `pool.roots` must contain the tree's root. */
  missingForMs({ roots, tree }: Pick<PoolState, "roots" | "tree">, now: number): number {
    const own = roots.indexOf(tree.root);
    if (this.#missing !== undefined) {
      const index = roots.indexOf(this.#missing.root);
      if (index < 0 || index >= own) this.#missing = undefined; // reached, or no longer in the history
    }
    if (own > 0) this.#missing ??= { root: roots[0], since: now };
    return this.#missing === undefined ? 0 : now - this.#missing.since;
  }
}
