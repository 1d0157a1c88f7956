/** Rebuilds a pool's tree from its logs. Uses no getter, so that the result can be compared with them. */
import type { Address } from "@ton/core";
import { isFieldElement } from "../../core/crypto/field.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../../core/tree/merkle_tree.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import { scanPoolTransactions } from "../../ton/pool/history/scan.ts";

export interface RebuiltTree {
  readonly leaves: number;
  /** The roots that a pool with these leaves accepts, newest first. */
  readonly rootHistory: readonly bigint[];
  readonly withdrawals: number;
  readonly distinctNullifiers: number;
  /** Why the logs do not form a tree; the rest then describes the valid part. */
  readonly fault?: string;
}

export async function rebuildTree(
  chain: Chain,
  pool: Address,
  options: { newest?: TransactionId; signal?: AbortSignal; onProgress?: (transactions: number) => void },
): Promise<RebuiltTree> {
  const tree = new MerkleTree();
  const nullifiers = new Set<bigint>();
  let withdrawals = 0;
  let fault: string | undefined;
  /** The newest leaves are appended one by one at the end, because their roots belong to the history. */
  let recentLeaves: bigint[] = [];
  for await (const { events } of scanPoolTransactions(chain, pool, options)) {
    for (const event of events) {
      if (event.kind === "withdrawal") {
        withdrawals++;
        nullifiers.add(event.nullifierHash);
      }
      if (event.kind !== "deposit" || fault) continue;
      const expected = tree.size + recentLeaves.length;
      if (event.leafIndex !== expected) fault = `found leaf ${event.leafIndex}, expected leaf ${expected}`;
      else if (!isFieldElement(event.commitment)) fault = `leaf ${expected} is not a field element`;
      else recentLeaves.push(event.commitment);
    }
    if (recentLeaves.length > ROOT_HISTORY_SIZE) {
      tree.appendMany(recentLeaves.slice(0, -ROOT_HISTORY_SIZE));
      recentLeaves = recentLeaves.slice(-ROOT_HISTORY_SIZE);
    }
  }
  const rootHistory: bigint[] = [];
  for (const leaf of recentLeaves) {
    tree.append(leaf);
    rootHistory.unshift(tree.root);
  }
  if (tree.size === 0) rootHistory.push(tree.root);
  return {
    leaves: tree.size,
    rootHistory,
    withdrawals,
    distinctNullifiers: nullifiers.size,
    ...fault ? { fault } : {},
  };
}
