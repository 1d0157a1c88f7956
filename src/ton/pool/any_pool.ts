import type { Address } from "@ton/core";
import type { PoolVersion } from "../../core/protocol/deployments.ts";
import type { CallOptions, Chain } from "../chain.ts";
import { Pool } from "./pool.ts";
import { V2Pool } from "./v2/pool.ts";

/** A pool that notes are deposited into and withdrawn from. */
export type AnyPool = Pool | V2Pool;

/**
 * Returns the pool at an address.
 * @param version as in its registry entry; default: 1
 * @example
 * ```ts
 * const { address, version } = deployments.pools.get("native-10-v2")!;
 * const pool = openPool(chain, address, version);
 * ```
 */
export function openPool(chain: Chain, address: Address, version: PoolVersion = 1): AnyPool {
  return version === 2 ? new V2Pool(chain, address) : new Pool(chain, address);
}

/** Returns all roots that the pool accepts: of a version 2 pool from its logs, because its get method returns 30. */
export async function readAcceptedRoots(
  pool: AnyPool,
  options: Pick<CallOptions, "signal"> = {},
): Promise<readonly bigint[]> {
  return pool instanceof V2Pool
    ? (await pool.readLog(options)).acceptedRoots
    : await pool.getRootHistory(options);
}
