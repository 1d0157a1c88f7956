/** Rebuilds the tree locally, so that no server learns which leaf matters. The pool confirms the root. */
import type { Address } from "@ton/core";
import { Problem } from "../core/errors/problem.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../core/tree/merkle_tree.ts";
import type { Clock } from "../core/time/clock.ts";
import { pollUntil } from "../core/time/deadline.ts";
import type { Chain, TransactionId } from "../ton/chain.ts";
import type { AnyPool } from "../ton/pool/any_pool.ts";
import { emptyLedger, nullifierKey, type PoolLedger, stepOrThrow } from "../core/protocol/pool_ledger.ts";
import { poolCapacity } from "../core/protocol/v2/pool_constants.ts";
import type { PoolVersion } from "../core/protocol/deployments.ts";
import { scanPoolTransactions } from "../ton/pool/history/scan.ts";
import type { PoolEvent } from "../ton/pool/history/pool_events.ts";
import { LeafBatcher } from "../tree/leaf_batcher.ts";
import { sharedTreeService } from "../tree/tree_workers.ts";
import { MAX_PAGE_SIZE, type RelayerClient } from "./relayer/relayer_client.ts";

/** A source of commitments: batches in leaf order, starting with leaf `from`. */
export interface CommitmentSource {
  commitments(from: number): AsyncIterable<readonly bigint[]>;
}

/** A source whose batches are n * 32 big-endian bytes. Large trees need no bigint for each leaf. */
export interface LeafBytesSource {
  commitments(from: number): AsyncIterable<Uint8Array>;
}

type LeafSource = CommitmentSource | LeafBytesSource;

/**
 * Returns the commitments of a relayer's `/tree/commitments`, which {@linkcode syncTree} verifies. Requests
 * start at a multiple of the page size: the tree's own size would reveal when this client last synced.
 * @example
 * ```ts
 * const tree = await syncTree(pool, commitmentsFromRelayer(relayer, pool.address));
 * ```
 */
export function commitmentsFromRelayer(relayer: RelayerClient, pool: Address): CommitmentSource {
  return {
    async *commitments(from) {
      let known = from % MAX_PAGE_SIZE;
      for await (const page of relayer.treeCommitments(pool, from - known)) {
        if (page.length > known) yield page.slice(known);
        known = Math.max(0, known - page.length);
      }
    },
  };
}

/**
 * Returns the commitments of the pool's own logs (settled ones for a version 2 pool), without a relayer. A later call
 * that begins where the last one ended reads only newer logs. Throws `chain_inconsistent` for logs that no pool writes.
 * @param version of the pool; default: 1
 * @example
 * ```ts
 * const tree = await syncTree(pool, commitmentsFromChain(chain, pool.address));
 * ```
 */
export function commitmentsFromChain(
  chain: Chain,
  pool: Address,
  version: PoolVersion = 1,
): CommitmentSource {
  let position = startOf(version);
  return {
    async *commitments(from) {
      if (from < position.ledger.settledLeaves) position = startOf(version);
      const { after } = position;
      const scan = scanPoolTransactions(chain, pool, {
        ...after && { after },
        capacity: poolCapacity(version),
      });
      try {
        for await (const { events, cursor } of scan) {
          const first = position.ledger.settledLeaves;
          const leaves = events.flatMap((event) => follow(position, event));
          position.after = cursor;
          const batch = leaves.slice(Math.max(0, from - first));
          if (batch.length > 0) yield batch;
        }
      } catch (error) {
        const isContradiction = error instanceof Problem && error.code === "chain_inconsistent";
        if (isContradiction) position = startOf(version); // the next read begins anew
        throw error;
      }
    },
  };
}

/** What a pool's logs contain up to transaction `after`. */
interface ChainPosition {
  after?: TransactionId;
  ledger: PoolLedger;
  readonly waiting: bigint[];
  readonly known: Set<bigint>; // the commitments of a version 1 pool
  readonly spent: Set<bigint>; // by nullifierKey
}

function startOf(version: PoolVersion): ChainPosition {
  return { ledger: emptyLedger(version), waiting: [], known: new Set(), spent: new Set() };
}

/** Returns the leaves that the event adds to the tree. */
function follow(position: ChainPosition, event: PoolEvent): readonly bigint[] {
  const { waiting, known, spent, ledger: { version } } = position;
  const { ledger, effects } = stepOrThrow(position.ledger, event, {
    hasLeaf: (commitment) => known.has(commitment),
    isSpent: (nullifierHash) => spent.has(nullifierKey(version, nullifierHash)),
  });
  position.ledger = ledger;
  return effects.flatMap((effect) => {
    if (effect.kind === "settled") return waiting.splice(0, effect.to - effect.from);
    if (effect.kind === "spent") spent.add(nullifierKey(version, effect.nullifierHash));
    else {
      waiting.push(effect.commitment);
      if (version === 1) known.add(effect.commitment);
    }
    return [];
  });
}

/** Progress of a tree that is being rebuilt. */
export interface TreeProgress {
  readonly leafCount: number;
}

/**
 * Appends to `tree` (default: an empty one) the leaves that the source has beyond it.
 * @throws {Problem} `unknown_root` if the pool does not know the rebuilt root: the source is behind or gives false data
 * @example
 * ```ts
 * const tree = await syncTree(pool, commitmentsFromRelayer(relayer, pool.address));
 * const leafIndex = tree.indexOf(note.commitment);
 * ```
 */
export async function syncTree(
  pool: AnyPool,
  source: LeafSource,
  tree: MerkleTree = new MerkleTree(),
  onProgress: (progress: TreeProgress) => void = () => {},
): Promise<MerkleTree> {
  await appendFromSource(tree, source, onProgress);
  await assertRootInHistory(pool, tree);
  return tree;
}

async function appendFromSource(
  tree: MerkleTree,
  source: LeafSource,
  onProgress: (progress: TreeProgress) => void = () => {},
): Promise<void> {
  const leaves = new LeafBatcher(tree, sharedTreeService());
  try {
    for await (const batch of source.commitments(tree.size)) {
      if (batch instanceof Uint8Array) await leaves.addBytes(batch);
      else for (const commitment of batch) await leaves.add(commitment);
      onProgress({ leafCount: leaves.size });
    }
  } finally {
    // Leaves that arrived before an error are kept for the next attempt.
    await leaves.flush();
  }
}

async function assertRootInHistory(pool: AnyPool, tree: MerkleTree): Promise<void> {
  if ((await pool.getRootHistory()).includes(tree.root)) return;
  throw new Problem(
    "unknown_root",
    `the root of the tree of ${tree.size} leaves is not among the pool's last ${ROOT_HISTORY_SIZE} roots`,
  );
}

/** How a tree is synced. */
export interface TreeSyncOptions {
  readonly onTreeProgress?: ((progress: TreeProgress) => void) | undefined;
  /** Milliseconds that a source may lag behind the chain. Default: 25,000. */
  readonly treeTimeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

/** A relayer whose endpoint has no API key polls the chain every 10 to 20 seconds. */
export const TREE_SYNC_TIMEOUT_MS = 25_000;
export const TREE_SYNC_POLL_INTERVAL_MS = 1_500;

/** Throws `tree_incomplete`: by omitting deposits, a source could find out in which part of the tree the note is. */
export async function syncWholeTree(
  pool: AnyPool,
  source: LeafSource,
  tree: MerkleTree = new MerkleTree(),
  { onTreeProgress, treeTimeoutMs = TREE_SYNC_TIMEOUT_MS, signal, clock }: TreeSyncOptions = {},
): Promise<MerkleTree> {
  const leafCount = await pool.getTreeSize(signal ? { signal } : {});
  const catchUp = async () => {
    await appendFromSource(tree, source, onTreeProgress);
    // Without leaves the source is only behind: the first deposit drops the empty root from the history.
    if (tree.size > 0 || leafCount === 0) await assertRootInHistory(pool, tree);
  };
  await catchUp(); // before the timeout starts: hashing a large tree takes long
  let waited = false;
  const isComplete = await pollUntil(async () => {
    if (waited) await catchUp();
    waited = true;
    return tree.size >= leafCount;
  }, {
    signal,
    clock,
    intervalMs: TREE_SYNC_POLL_INTERVAL_MS,
    timeoutMs: treeTimeoutMs - TREE_SYNC_POLL_INTERVAL_MS, // no wait may end after the timeout
  });
  if (isComplete) return tree;
  throw new Problem(
    "tree_incomplete",
    `${leafCount - tree.size} of the pool's ${leafCount} deposits are left out`,
  );
}

/**
 * Fetches a relayer's tree with every deposit that the pool has now.
 * @throws {Problem} `relayer_unavailable` for an unknown root; `tree_incomplete` if it is behind; `cancelled`
 * @example
 * ```ts
 * const tree = await fetchVerifiedTree(relayer, pool, { treeTimeoutMs: 25_000 });
 * ```
 */
export async function fetchVerifiedTree(
  relayer: RelayerClient,
  pool: AnyPool,
  options: TreeSyncOptions = {},
): Promise<MerkleTree> {
  const reported = await relayer.treeRoot(pool.address);
  if (!(await pool.getRootHistory()).includes(reported)) {
    throw new Problem("relayer_unavailable", "its root is not among the pool's last 30");
  }
  try {
    return await syncWholeTree(pool, commitmentsFromRelayer(relayer, pool.address), undefined, options);
  } catch (cause) {
    if (!(cause instanceof Problem && cause.code === "unknown_root")) throw cause;
    throw new Problem("relayer_unavailable", "its leaves do not make a root that the pool has", { cause });
  }
}
