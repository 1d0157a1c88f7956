/** Reads all leaves and spent notes of a pool from the first relayer that has them, and from cached pages. */
import {
  downloadPoolPages,
  downloadPoolTree,
  type PoolPages,
  type PoolPagesOptions,
} from "../../../client/pages/pool_pages.ts";
import { Problem } from "../../../core/errors/problem.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { RelayerClient } from "../../../client/relayer/relayer_client.ts";
import type { MerkleTree } from "../../../core/tree/merkle_tree.ts";
import { openPool } from "../../../ton/pool/any_pool.ts";
import { type AppContext, withdrawalChain } from "../context.ts";

/** Timeout of a page of at most 1.1 MiB. After it, the app queries the next relayer, and finally the chain. */
const PAGE_TIMEOUT_MS = 20_000;

/**
 * Returns no deposits that wait for their settlement, because no root confirms what a relayer says about them. Throws
 * `relayer_unavailable` if no relayer of the settings has them, and `chain_unavailable` if the endpoint is away too.
 */
export async function readPages(
  context: AppContext,
  { address, version }: Deployment,
  options: Pick<PoolPagesOptions, "signal" | "onTreeProgress">,
): Promise<PoolPages> {
  const { signal } = options;
  const chain = withdrawalChain(context);
  const pool = openPool(chain, address, version);
  const id = address.toRawString();
  let failure: unknown = new Problem("relayer_unavailable", "the settings name no relayer");
  for (const url of context.connections().relayers) {
    const relayer = new RelayerClient(url, { requestTimeoutMs: PAGE_TIMEOUT_MS, ...signal && { signal } });
    try {
      const { pages: cache, trees, clock } = context;
      return await trees.grow(
        id,
        (tree) => downloadPoolPages(relayer, pool, { ...options, cache, clock, tree, withPending: false }),
        ({ tree }) => tree,
      );
    } catch (error) {
      if (signal?.aborted) throw error;
      failure = error;
    }
  }
  await chain.account(address, { ...signal && { signal } }); // offline, both are away
  throw failure;
}

/** Returns a relayer's verified tree with every deposit that the pool has now. */
export async function readTree(
  context: AppContext,
  { address, version }: Deployment,
  relayer: RelayerClient,
  signal: AbortSignal,
): Promise<MerkleTree> {
  const { pages: cache, trees } = context;
  const pool = openPool(withdrawalChain(context), address, version);
  return await trees.grow(
    address.toRawString(),
    (tree) => downloadPoolTree(relayer, pool, { cache, signal, tree }),
    (tree) => tree,
  );
}
