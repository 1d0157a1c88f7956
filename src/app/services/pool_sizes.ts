/** How many deposits each pool has: the crowd that a new deposit joins. */
import { poolKey } from "../../core/protocol/deployments.ts";
import { openPool } from "../../ton/pool/any_pool.ts";
import { type AppContext, depositChain } from "./context.ts";

/** Asks for all pools, so that the endpoint does not learn which one will be chosen. */
export async function countDeposits(
  context: AppContext,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const chain = depositChain(context);
  const sizes = new Map<string, number>();
  for (const deployment of context.registry.pools.values()) {
    try {
      const pool = openPool(chain, deployment.address, deployment.version);
      sizes.set(poolKey(deployment), await pool.getTreeSize({ signal }));
    } catch (error) {
      if (signal.aborted) throw error;
    }
  }
  return sizes;
}
