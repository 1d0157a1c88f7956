/** Rebuilds a pool's tree from its logs. Uses no getter, so that the result can be compared with them. */
import type { Address } from "@ton/core";
import { emptyLedger, type LedgerMessage, step } from "../../core/protocol/pool_ledger.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../../core/tree/merkle_tree.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import { scanPoolTransactions } from "../../ton/pool/history/scan.ts";

export interface RebuiltTree {
  readonly leaves: number;
  /** The roots that a pool with these leaves accepts, newest first. */
  readonly rootHistory: readonly bigint[];
  readonly withdrawals: number;
  readonly distinctNullifiers: number;
  /** What contradicts the earlier logs; the rest then describes these, but counts all withdrawals. */
  readonly fault?: string;
}

export async function rebuildTree(
  chain: Chain,
  pool: Address,
  options: { newest?: TransactionId; signal?: AbortSignal; onProgress?: (transactions: number) => void },
): Promise<RebuiltTree> {
  const tree = new MerkleTree();
  const [commitments, nullifiers] = [new Set<bigint>(), new Set<bigint>()];
  const facts = {
    hasLeaf: (commitment: bigint) => commitments.has(commitment),
    isSpent: (nullifierHash: bigint) => nullifiers.has(nullifierHash),
  };
  let ledger = emptyLedger(1);
  let withdrawals = 0;
  let fault: string | undefined;
  /** The newest leaves are appended one by one at the end, because their roots belong to the history. */
  let recentLeaves: bigint[] = [];
  const follow = (message: LedgerMessage): string | undefined => {
    const next = step(ledger, message, facts);
    if ("contradiction" in next) return next.contradiction.detail;
    ledger = next.ledger;
    for (const effect of next.effects) {
      if (effect.kind !== "queued") continue;
      commitments.add(effect.commitment);
      recentLeaves.push(effect.commitment);
    }
  };
  for await (const { events } of scanPoolTransactions(chain, pool, options)) {
    for (const event of events) {
      fault ??= follow(event);
      if (event.kind !== "withdrawal") continue;
      withdrawals++;
      nullifiers.add(event.nullifierHash);
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
