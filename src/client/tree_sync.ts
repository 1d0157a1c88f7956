/**
 * Rebuilds a pool's tree on the client, so that nobody learns which leaf is of interest. A tree is used only after
 * the chain itself has said that its root is among the last 30.
 */
import type { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";
import { MerkleTree } from "../core/merkle_tree.ts";
import type { Chain } from "../ton/chain.ts";
import type { Pool } from "../ton/pool.ts";
import { scanPoolTransactions } from "../ton/scan.ts";
import { LeafCollector } from "../tree/leaf_collector.ts";
import { ownTreeWorkers } from "../tree/tree_service.ts";
import { pause } from "./pause.ts";
import { MAX_PAGE, type RelayerClient } from "./relayer_client.ts";

/** Where commitments come from: batches in leaf order, starting with leaf `from`. */
export interface CommitmentSource {
  commitments(from: number): AsyncIterable<readonly bigint[]>;
}

/**
 * Commitments from a relayer's `/tree/commitments`: quick, and checked against the chain's roots afterwards.
 *
 * Requests start at a multiple of the page size, and leaves that the caller already has are dropped here. A request that
 * started at the caller's own size would show the relayer when this client last synced.
 */
export function fromRelayer(relayer: RelayerClient, pool: Address): CommitmentSource {
  return {
    async *commitments(from) {
      let known = from % MAX_PAGE;
      for await (const page of relayer.treeCommitments(pool, from - known)) {
        if (page.length > known) yield page.slice(known);
        known = Math.max(0, known - page.length);
      }
    },
  };
}

/** Commitments from the pool's own logs on the chain: nothing is asked of any relayer. */
export function fromChain(chain: Chain, pool: Address): CommitmentSource {
  return {
    async *commitments(from) {
      for await (const { events } of scanPoolTransactions(chain, pool)) {
        const batch = events.flatMap((event) =>
          event.kind === "deposit" && event.leafIndex >= from ? [event.commitment] : []
        );
        if (batch.length > 0) yield batch;
      }
    },
  };
}

/** How far a tree is rebuilt. */
export interface TreeProgress {
  readonly leaves: number;
}

/**
 * Appends to `tree` what the source has beyond it, hashing on worker threads when there is much.
 *
 * @throws {Problem} `unknown_root` when the chain does not know the rebuilt root: the source is behind, or lies
 */
export async function syncTree(
  pool: Pool,
  source: CommitmentSource,
  tree: MerkleTree = new MerkleTree(),
  onProgress: (progress: TreeProgress) => void = () => {},
): Promise<MerkleTree> {
  await append(tree, source, onProgress);
  await assertKnownRoot(pool, tree);
  return tree;
}

async function append(
  tree: MerkleTree,
  source: CommitmentSource,
  onProgress: (progress: TreeProgress) => void = () => {},
): Promise<void> {
  const leaves = new LeafCollector(tree, ownTreeWorkers());
  try {
    for await (const batch of source.commitments(tree.size)) {
      for (const commitment of batch) await leaves.add(commitment);
      onProgress({ leaves: leaves.size });
    }
  } finally {
    // What came before an error is kept: the next attempt goes on there.
    await leaves.finish();
  }
}

/** @throws {Problem} `unknown_root` */
async function assertKnownRoot(pool: Pool, tree: MerkleTree): Promise<void> {
  const known = await pool.getRootHistory();
  if (!known.includes(tree.root)) {
    throw new Problem(
      "unknown_root",
      `the tree of ${tree.size} leaves does not have a root that the pool knows`,
    );
  }
}

/** How a source that is behind is waited for. */
export interface WholeTreeOptions {
  readonly onTree?: ((progress: TreeProgress) => void) | undefined;
  /** Milliseconds that a source may be behind the chain; default {@linkcode SOURCE_PATIENCE_MS}. */
  readonly treePatienceMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A relayer without a key of its endpoint looks every ten or twenty seconds. */
export const SOURCE_PATIENCE_MS = 25_000;
const SOURCE_PAUSE_MS = 1_500;

/**
 * Appends to `tree` what the source has beyond it, until it holds every deposit that the pool has now. A tree with fewer
 * would do for a proof, but whoever leaves deposits out chooses the crowd that a withdrawal hides in, and learns from
 * whether it is made at all on which side of the cut the note lies.
 *
 * @throws {Problem} `unknown_root` as {@linkcode syncTree}; `tree_incomplete` when the source stays behind; `cancelled`
 */
export async function syncWholeTree(
  pool: Pool,
  source: CommitmentSource,
  tree: MerkleTree = new MerkleTree(),
  { onTree, treePatienceMs = SOURCE_PATIENCE_MS, signal }: WholeTreeOptions = {},
): Promise<MerkleTree> {
  const leaves = await pool.getNextIndex(signal ? { signal } : {});
  for (let waited = 0;; waited += SOURCE_PAUSE_MS) {
    await append(tree, source, onTree);
    // With the first deposit the pool forgets the empty tree's root: a source that has no leaf yet is only behind.
    if (tree.size > 0 || leaves === 0) await assertKnownRoot(pool, tree);
    if (tree.size >= leaves) return tree;
    if (waited >= treePatienceMs) {
      throw new Problem(
        "tree_incomplete",
        `${leaves - tree.size} of the pool's ${leaves} deposits are left out`,
      );
    }
    await pause(SOURCE_PAUSE_MS, signal);
  }
}
