/** Downloads a pool's public data in whole pages, so that no server learns which note matters. */
import { concatBytes } from "@noble/hashes/utils.js";
import { FIELD_BYTES } from "../../core/crypto/field.ts";
import { Problem } from "../../core/errors/problem.ts";
import { FINAL_PAYMENT_DEPTH } from "../../core/protocol/pool_constants.ts";
import { poolCapacity } from "../../core/protocol/v2/pool_constants.ts";
import { pollUntil } from "../../core/time/deadline.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { AnyPool } from "../../ton/pool/any_pool.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import { MAX_PAGE_SIZE, type RelayerClient } from "../relayer/relayer_client.ts";
import {
  syncWholeTree,
  TREE_SYNC_POLL_INTERVAL_MS,
  TREE_SYNC_TIMEOUT_MS,
  type TreeSyncOptions,
} from "../tree_sync.ts";

/** Caches public pages between visits. */
export interface PageCache {
  read(key: string): Promise<Uint8Array | undefined>;
  /** Replaces the bytes. Does not throw: the cache only saves downloads. */
  write(key: string, bytes: Uint8Array): Promise<void>;
}

/** All data about notes that a relayer serves for a pool. */
export interface PoolPages {
  /** The tree, whose root the pool has confirmed. */
  readonly tree: MerkleTree;
  /** The leaves of the tree, 32 bytes each, big-endian. */
  readonly leaves: Uint8Array;
  /** Version 2 pools only: commitments that wait for their settlement, after the leaves. No root confirms them. */
  readonly pending: readonly bigint[];
  /** Nullifier hashes in the order of the pool's log, 32 bytes each, big-endian. */
  readonly spent: Uint8Array;
}

/** How pages are downloaded and cached. */
export interface PoolPagesOptions extends TreeSyncOptions {
  readonly cache?: PageCache | undefined;
  /** The tree of an earlier call for this pool, to which new leaves are appended. */
  readonly tree?: MerkleTree | undefined;
  /** Whether to ask for deposits that wait for their settlement, which no root confirms. Default: true. */
  readonly withPending?: boolean | undefined;
}

const PAGE_BYTES = MAX_PAGE_SIZE * FIELD_BYTES;

/**
 * Downloads all leaves and all spent nullifier hashes of a pool from a relayer, and confirms the leaves by the pool's root.
 * The relayer can omit spent notes, but it cannot add notes of this owner.
 * @throws {Problem} `relayer_unavailable`, also for an unknown root; `tree_incomplete`; `cancelled`
 * @example
 * ```ts
 * const pages = await downloadPoolPages(relayer, pool);
 * const [{ state }] = checkNotesInPages([note], pages);
 * ```
 */
export async function downloadPoolPages(
  relayer: RelayerClient,
  pool: AnyPool,
  options: PoolPagesOptions = {},
): Promise<PoolPages> {
  // Read before the leaves, so that a deposit that is settled meanwhile appears among the leaves.
  const { withPending = true } = options;
  const waiting = pool instanceof V2Pool && withPending
    ? await relayer.pendingDeposits(pool.address, poolCapacity(2))
    : [];
  const tree = await downloadPoolTree(relayer, pool, options);
  const pending = waiting.filter(({ leafIndex }) => leafIndex >= tree.size).map(({ commitment }) =>
    commitment
  );
  const leaves = tree.levels[0].subarray(0, tree.size * FIELD_BYTES);
  return { tree, leaves, pending, spent: await downloadSpent(relayer, pool, options) };
}

/** Downloads the tree that a withdrawal needs. Throws as {@linkcode downloadPoolPages}. */
export async function downloadPoolTree(
  relayer: RelayerClient,
  pool: AnyPool,
  { cache, tree: known, ...options }: PoolPagesOptions = {},
): Promise<MerkleTree> {
  const key = `${pool.address.toRawString()} leaves`;
  const fetchPage = (from: number) => relayer.leafPage(pool.address, from);
  const pages = { fetchPage, key, cache, capacity: capacityOf(pool), margin: 0 };
  const source = {
    async *commitments(from: number) {
      const leaves = await downloadPages(pages);
      for (let at = from * FIELD_BYTES; at < leaves.length; at += PAGE_BYTES) {
        yield leaves.subarray(at, at + PAGE_BYTES);
      }
    },
  };
  const sync = (tree?: MerkleTree) => syncWholeTree(pool, source, tree, options);
  try {
    return await sync(known);
  } catch (error) {
    if (!(error instanceof Problem && error.code === "unknown_root")) throw error;
  }
  // The cached pages may belong to another history, such as that of an earlier local network.
  await cache?.write(key, new Uint8Array());
  try {
    return await sync();
  } catch (cause) {
    if (!(cause instanceof Problem && cause.code === "unknown_root")) throw cause;
    throw new Problem("relayer_unavailable", "its leaves do not make a root that the pool has", { cause });
  }
}

/** Caches these pages for each relayer, because no root confirms them. Waits for a relayer that is behind the pool. */
async function downloadSpent(
  relayer: RelayerClient,
  pool: AnyPool,
  { cache, signal, clock, treeTimeoutMs = TREE_SYNC_TIMEOUT_MS }: PoolPagesOptions,
): Promise<Uint8Array> {
  const key = `${pool.address.toRawString()} spent ${relayer.baseUrl}`;
  const fetchPage = (from: number) => relayer.spentPage(pool.address, from);
  const paid = pool instanceof V2Pool ? (await pool.getPoolInfo(signal ? { signal } : {})).withdrawals : 0;
  const pages = { fetchPage, key, cache, capacity: capacityOf(pool), margin: FINAL_PAYMENT_DEPTH };
  let spent: Uint8Array = new Uint8Array();
  const isComplete = await pollUntil(async () => {
    spent = await downloadPages(pages);
    return spent.length >= paid * FIELD_BYTES;
  }, {
    signal,
    clock,
    intervalMs: TREE_SYNC_POLL_INTERVAL_MS,
    timeoutMs: treeTimeoutMs - TREE_SYNC_POLL_INTERVAL_MS,
  });
  if (isComplete) return spent;
  await cache?.write(key, new Uint8Array());
  throw new Problem(
    "relayer_unavailable",
    `it lists ${spent.length / FIELD_BYTES} of the pool's ${paid} withdrawals`,
  );
}

const capacityOf = (pool: AnyPool) => poolCapacity(pool instanceof V2Pool ? 2 : 1);

interface Pages {
  readonly fetchPage: (from: number) => Promise<Uint8Array>;
  readonly key: string;
  readonly cache: PageCache | undefined;
  /** Maximum number of items: endless full pages would fill the memory. */
  readonly capacity: number;
  /** Number of items that must follow a page before it is cached. */
  readonly margin: number;
}

async function downloadPages({ fetchPage, key, cache, capacity, margin }: Pages): Promise<Uint8Array> {
  const found = await cache?.read(key) ?? new Uint8Array();
  const known = found.subarray(0, wholePages(found.length));
  const parts = [known];
  for (let from = known.length / FIELD_BYTES;; from += MAX_PAGE_SIZE) {
    if (from > capacity) {
      throw new Problem("relayer_unavailable", `it lists more than the ${capacity} that the pool can hold`);
    }
    const page = await fetchPage(from);
    parts.push(page);
    if (page.length < PAGE_BYTES) break;
  }
  const bytes = concatBytes(...parts);
  const cachedBytes = wholePages(bytes.length - margin * FIELD_BYTES);
  if (cachedBytes > known.length) await cache?.write(key, bytes.slice(0, cachedBytes));
  return bytes;
}

const wholePages = (length: number) => Math.max(0, Math.floor(length / PAGE_BYTES)) * PAGE_BYTES;
