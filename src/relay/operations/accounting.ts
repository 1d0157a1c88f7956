/**
 * Records revenue and cost of withdrawals from on-chain data: pool events that settle our jobs, and the wallet's
 * transactions. Only the leader processes these, each once.
 */
import type { Address } from "@ton/core";
import type { PoolId, SettlingEvent, Transfer } from "../../store/store.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

/** The accounting data of a pool. */
export interface AccountedPool {
  readonly key: string;
  readonly deployment: { readonly asset: string };
}

/** Records fees earned and gas spent as metrics. */
export class WithdrawalAccounting {
  readonly #wallet: Address;
  readonly #pools: Pick<ReadonlyMap<PoolId, AccountedPool>, "get">;
  readonly #metrics: Pick<Metrics, "recordFee" | "recordGas">;

  constructor(
    wallet: Address,
    pools: Pick<ReadonlyMap<PoolId, AccountedPool>, "get">,
    metrics: Pick<Metrics, "recordFee" | "recordGas">,
  ) {
    this.#wallet = wallet;
    this.#pools = pools;
    this.#metrics = metrics;
  }

  /** Records a paid or refused withdrawal. The submitter or the fee's recipient may be another relayer. */
  recordSettlement(id: PoolId, event: SettlingEvent): void {
    const pool = this.#pools.get(id);
    if (pool === undefined) return;
    const { key, deployment: { asset } } = pool;
    const fee = event.kind === "withdrawal" && event.relayer?.equals(this.#wallet) ? event.fee : 0n;
    if (fee > 0n) this.#metrics.recordFee(key, asset, fee);
    if (event.cost === undefined || !event.sender.equals(this.#wallet)) return;
    // The native fee was returned with the excess; it is not gas.
    this.#metrics.recordGas(key, event.cost + (asset === "native" ? fee : 0n));
  }

  /** Records the `fees` (nano) of a transfer, shared equally by its withdrawals. */
  recordTransfer({ jobs }: Pick<Transfer, "jobs">, fees: bigint): void {
    const share = fees / BigInt(jobs.length);
    for (const [i, job] of jobs.entries()) {
      const pool = this.#pools.get(job.pool);
      if (pool) this.#metrics.recordGas(pool.key, i === 0 ? fees - share * BigInt(jobs.length - 1) : share);
    }
  }
}
