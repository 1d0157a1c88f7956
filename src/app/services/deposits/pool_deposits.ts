/** Reads the deposits of pools: their number for the list, and their times for a new deposit. */
import { type Deployment, poolKey } from "../../../core/protocol/deployments.ts";
import { poolCapacity } from "../../../core/protocol/v2/pool_constants.ts";
import type { Chain } from "../../../ton/chain.ts";
import { scanPoolTransactions } from "../../../ton/pool/history/scan.ts";
import { openPool } from "../../../ton/pool/any_pool.ts";
import { type AppContext, depositChain } from "../context.ts";

/** Queries all pools, so that the endpoint does not learn which one the user will choose. */
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

export interface PoolDeposits {
  readonly commitments: ReadonlySet<bigint>;
  readonly times: readonly number[]; // Unix seconds
  readonly now: number; // the chain's time, Unix seconds
}

/** Reads all deposits, so that the endpoint does not learn which one matters. */
export async function readDeposits(
  chain: Chain,
  { address, version }: Deployment,
  signal: AbortSignal,
): Promise<PoolDeposits> {
  const commitments = new Set<bigint>();
  const times: number[] = [];
  const capacity = poolCapacity(version ?? 1);
  const { syncUtime: now } = await chain.account(address, { signal });
  for await (const { events } of scanPoolTransactions(chain, address, { signal, capacity })) {
    for (const event of events) {
      if (event.kind !== "deposit") continue;
      commitments.add(event.commitment);
      times.push(event.timestamp);
    }
  }
  return { commitments, times, now };
}
