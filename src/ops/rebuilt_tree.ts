/**
 * A pool's tree and withdrawals as its own logs tell them, from its first transaction on. Nothing is asked of any
 * getter, so that what a getter says can be held against it.
 */
import type { Address } from "@ton/core";
import { isFieldElement } from "../core/field.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../core/merkle_tree.ts";
import type { Chain, TransactionId } from "../ton/chain.ts";
import { scanPoolTransactions } from "../ton/scan.ts";

/** What the logs make. */
export interface RebuiltTree {
  readonly leaves: number;
  /** The roots that a pool with these leaves accepts, newest first. */
  readonly lastRoots: readonly bigint[];
  readonly withdrawals: number;
  /** Distinct nullifier hashes among them. */
  readonly spent: number;
  /** Why the logs make no tree; then the rest tells how far they did. */
  readonly fault?: string;
}

/** Walks the history of `pool` up to `newest`. Throws what {@linkcode scanPoolTransactions} throws. */
export async function rebuildTree(
  chain: Chain,
  pool: Address,
  options: { newest?: TransactionId; signal?: AbortSignal; onProgress?: (transactions: number) => void },
): Promise<RebuiltTree> {
  const tree = new MerkleTree();
  const nullifiers = new Set<bigint>();
  let withdrawals = 0;
  let fault: string | undefined;
  /** Leaves whose roots may be among the last, which are hashed one by one. */
  let young: bigint[] = [];
  for await (const { events } of scanPoolTransactions(chain, pool, options)) {
    for (const event of events) {
      if (event.kind === "withdrawal") {
        withdrawals++;
        nullifiers.add(event.nullifierHash);
      }
      if (event.kind !== "deposit" || fault) continue;
      const expected = tree.size + young.length;
      if (event.leafIndex !== expected) fault = `leaf ${event.leafIndex} comes where ${expected} should`;
      else if (!isFieldElement(event.commitment)) fault = `leaf ${expected} is no field element`;
      else young.push(event.commitment);
    }
    if (young.length > ROOT_HISTORY_SIZE) {
      tree.appendMany(young.slice(0, -ROOT_HISTORY_SIZE));
      young = young.slice(-ROOT_HISTORY_SIZE);
    }
  }
  const lastRoots: bigint[] = [];
  for (const leaf of young) {
    tree.append(leaf);
    lastRoots.unshift(tree.root);
  }
  // Before the first deposit the root of the empty tree is the only one.
  if (tree.size === 0) lastRoots.push(tree.root);
  return { leaves: tree.size, lastRoots, withdrawals, spent: nullifiers.size, ...fault ? { fault } : {} };
}
