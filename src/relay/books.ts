/**
 * Counts what withdrawals earn and cost, from what the chain paid: the pools' events that settle this relayer's jobs, and
 * the wallet's transactions that carried them. Only the leader sees both, and each of them once.
 */
import type { Address } from "@ton/core";
import type { PoolId, SettlingEvent, Transfer } from "../store/store.ts";
import type { Metrics } from "../telemetry/metrics.ts";

/** What the books know of a pool. */
export interface BookedPool {
  readonly key: string;
  readonly deployment: { readonly asset: string };
}

/** Fees earned and gas spent, as metrics. */
export class Books {
  readonly #wallet: Address;
  readonly #pools: Pick<ReadonlyMap<PoolId, BookedPool>, "get">;
  readonly #metrics: Pick<Metrics, "feeEarned" | "gasSpent">;

  constructor(
    wallet: Address,
    pools: Pick<ReadonlyMap<PoolId, BookedPool>, "get">,
    metrics: Pick<Metrics, "feeEarned" | "gasSpent">,
  ) {
    this.#wallet = wallet;
    this.#pools = pools;
    this.#metrics = metrics;
  }

  /** The pool paid a withdrawal, or refused ours. Others may have submitted it, or earned its fee. */
  settled(id: PoolId, event: SettlingEvent): void {
    const pool = this.#pools.get(id);
    if (pool === undefined) return;
    const { key, deployment: { asset } } = pool;
    const fee = event.kind === "withdrawal" && event.relayer?.equals(this.#wallet) ? event.fee : 0n;
    if (fee > 0n) this.#metrics.feeEarned(key, asset, fee);
    if (event.cost === undefined || !event.sender.equals(this.#wallet)) return;
    // A native fee came back with the rest of the value, and is no gas.
    this.#metrics.gasSpent(key, event.cost + (asset === "native" ? fee : 0n));
  }

  /** The wallet paid `fees` nano to send a transfer; its withdrawals share them. */
  sent({ jobs }: Pick<Transfer, "jobs">, fees: bigint): void {
    const share = fees / BigInt(jobs.length);
    for (const [i, job] of jobs.entries()) {
      const pool = this.#pools.get(job.pool);
      if (pool) this.#metrics.gasSpent(pool.key, i === 0 ? fees - share * BigInt(jobs.length - 1) : share);
    }
  }
}
