/**
 * What withdrawals ask of pools, kept for a few seconds: whoever holds one good proof may submit as many withdrawals of
 * it as he likes, and must not use up what the endpoint allows.
 */
import type { Chain } from "../ton/chain.ts";
import { Pool, type PoolInfo } from "../ton/pool.ts";
import type { Clock } from "./clock.ts";
import { Fresh } from "./fresh.ts";
import type { PoolState } from "./pool_state.ts";

const PATIENT = { patient: true };
const KEPT_MS = 5_000;
/** More pools than a relayer serves; and of notes more than are asked about within that time. */
const MOST_POOLS = 1_000;
const MOST_NOTES = 1_000;

/** Getters of pools, as of a few seconds ago. They throw what {@linkcode Pool}'s do, and `overloaded`. */
export class PoolAnswers {
  readonly #chain: Chain;
  readonly #infos: Fresh<PoolInfo>;
  readonly #values: Fresh<bigint>;
  readonly #spent: Fresh<boolean>;

  constructor(chain: Chain, clock: Clock) {
    this.#chain = chain;
    this.#infos = new Fresh(clock, { ms: KEPT_MS, most: MOST_POOLS });
    this.#values = new Fresh(clock, { ms: KEPT_MS, most: MOST_POOLS });
    this.#spent = new Fresh(clock, { ms: KEPT_MS, most: MOST_NOTES });
  }

  info(pool: PoolState): Promise<PoolInfo> {
    return this.#infos.get(pool.id, () => this.#getters(pool).getPoolInfo(PATIENT));
  }

  /**
   * Nano to attach to a withdrawal, enough to tell whether the wallet can: the refund comes on top of what is asked for
   * without one, and in a jetton pool the fee of its way, which this leaves out.
   */
  async withdrawValue(pool: PoolState, refund: bigint): Promise<bigint> {
    return await this.#values.get(pool.id, () => this.#getters(pool).getWithdrawValue(0n, PATIENT)) + refund;
  }

  isSpent(pool: PoolState, nullifierHash: bigint): Promise<boolean> {
    const key = `${pool.id} ${nullifierHash}`;
    return this.#spent.get(key, () => this.#getters(pool).getIsSpent(nullifierHash, PATIENT));
  }

  #getters({ deployment }: PoolState): Pool {
    return new Pool(this.#chain, deployment.address);
  }
}
