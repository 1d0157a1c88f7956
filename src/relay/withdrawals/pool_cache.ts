/** Caches getters for seconds: resubmitting one valid proof must not exhaust the endpoint's rate limit. */
import type { Cell } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { Chain } from "../../ton/chain.ts";
import { Pool } from "../../ton/pool/pool.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import type { PoolInfo } from "../../ton/pool/pool_getters.ts";
import type { Clock } from "../../core/time/clock.ts";
import { TtlCache } from "../../core/time/ttl_cache.ts";
import type { PoolState } from "../indexer/pool_state.ts";

const LOW_PRIORITY = { lowPriority: true };
const POOL_CACHE_TTL_MS = 5_000;
const STALE_SLOT_RETRY_SECONDS = 5;
const MAX_CACHED_POOLS = 1_000;
const MAX_CACHED_NULLIFIERS = 1_000;

/** Throws the problems of {@linkcode Pool}'s getters, and `overloaded`. */
export class PoolCache {
  readonly #infos: TtlCache<PoolInfo>;
  readonly #values: TtlCache<bigint>;
  readonly #spent: TtlCache<boolean>;

  constructor(private readonly chain: Chain, clock: Clock) {
    this.#infos = new TtlCache(clock, { ttlMs: POOL_CACHE_TTL_MS, maxEntries: MAX_CACHED_POOLS });
    this.#values = new TtlCache(clock, { ttlMs: POOL_CACHE_TTL_MS, maxEntries: MAX_CACHED_POOLS });
    this.#spent = new TtlCache(clock, { ttlMs: POOL_CACHE_TTL_MS, maxEntries: MAX_CACHED_NULLIFIERS });
  }

  getPoolInfo(pool: PoolState): Promise<PoolInfo> {
    return this.#infos.get(pool.id, () => this.#contract(pool).getPoolInfo(LOW_PRIORITY));
  }

  /** Returns nano: the cached quote plus the refund, without a jetton pool's fee for forwarding it. */
  async getWithdrawValue(pool: PoolState, refund: bigint): Promise<bigint> {
    return await this.#values.get(pool.id, () => this.#contract(pool).getWithdrawValue(0n, LOW_PRIORITY)) +
      refund;
  }

  getIsSpent(pool: PoolState, nullifierHash: bigint): Promise<boolean> {
    const key = `${pool.id} ${nullifierHash}`;
    return this.#spent.get(key, async () => {
      const spent = pool.settledPool?.spent;
      if (spent === undefined) return await this.#contract(pool).getIsSpent(nullifierHash, LOW_PRIORITY);
      return await this.#isSpentInSlot(pool, nullifierHash, spent.slotPath(nullifierHash));
    });
  }

  /** Throws `not_ready` if the pool's slot has changed since the relayer last read its history. */
  async #isSpentInSlot(
    { deployment }: PoolState,
    nullifierHash: bigint,
    carried: Cell | null,
  ): Promise<boolean> {
    try {
      const contract = new V2Pool(this.chain, deployment.address);
      return await contract.getIsSpentBy(nullifierHash, carried, LOW_PRIORITY);
    } catch (error) {
      if (!(error instanceof Problem && error.code === "contract_refused")) throw error;
      const members = { retryAfter: STALE_SLOT_RETRY_SECONDS };
      throw new Problem("not_ready", "the pool has withdrawals that are not indexed yet", { members });
    }
  }

  #contract({ deployment }: PoolState): Pool {
    return new Pool(this.chain, deployment.address);
  }
}
