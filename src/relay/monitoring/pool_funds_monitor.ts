/** Monitors each pool's surplus over its obligations, which pays for its storage. The metrics report it. */
import { type Clock } from "../../core/time.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Chain } from "../../ton/chain.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import { Pool } from "../../ton/pool/pool.ts";
import { poolFunds, SECONDS_PER_YEAR, surplusEnd } from "../../ton/pool/pool_funds.ts";
import { maxPoolSize } from "../../ton/pool/pool_size.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import type { PollingIntervals } from "../polling_intervals.ts";

const RETRY_MS = 600_000;

export interface PoolSurplus {
  /** In nano; negative if the notes' own coins have paid for storage. */
  readonly surplus: bigint;
  /** Unix time at which storage will have consumed it; Infinity if storage is free. */
  readonly until: number;
}

interface PoolFundsDeps {
  readonly chain: Chain;
  readonly prices: { getPrices(): Promise<NetworkPrices> };
  readonly clock: Clock;
  readonly intervals: Pick<PollingIntervals, "poolFundsPollMs">;
  readonly log: Log;
}

export class PoolFundsMonitor {
  readonly #known = new Map<string, PoolSurplus>();

  /** Returns undefined until the pool's balance was read once. */
  get({ id }: PoolState): PoolSurplus | undefined {
    return this.#known.get(id);
  }

  /** Reads a pool's balance. If that fails, keeps the last known surplus and returns false. */
  async update(
    pool: PoolState,
    { chain, prices, log }: Omit<PoolFundsDeps, "clock" | "intervals">,
    signal: AbortSignal,
  ): Promise<boolean> {
    try {
      this.#known.set(pool.id, await readSurplus(pool, chain, await prices.getPrices(), signal));
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      log.warning("the balance of {pool} could not be read, retrying later: {error}", {
        pool: pool.key,
        error: String(error),
      });
      return false;
    }
  }
}

export async function watchPoolFunds(
  monitor: PoolFundsMonitor,
  pools: readonly PoolState[],
  deps: PoolFundsDeps,
  signal: AbortSignal,
): Promise<void> {
  const { clock, intervals: { poolFundsPollMs } } = deps;
  while (!signal.aborted) {
    let complete = true;
    for (const pool of pools) {
      if (pool.deploymentMismatch !== undefined || signal.aborted) continue;
      if (!await monitor.update(pool, deps, signal)) complete = false;
    }
    await clock.sleep(complete ? poolFundsPollMs : Math.min(poolFundsPollMs, RETRY_MS), signal);
  }
}

/** Assumes the largest possible size and all storage since the last event: both err on the safe side. */
async function readSurplus(
  { deployment: { address, denomination } }: PoolState,
  chain: Chain,
  prices: NetworkPrices,
  signal: AbortSignal,
): Promise<PoolSurplus> {
  const info = await new Pool(chain, address).getPoolInfo({ signal, lowPriority: true });
  const { balance, syncUtime } = await chain.account(address, { signal, lowPriority: true });
  const size = maxPoolSize(info);
  const idle = info.touched === 0 ? 0 : Math.max(0, syncUtime - info.touched);
  const funds = poolFunds({
    info,
    denomination,
    balance,
    storageDue: prices.storageFee({ ...size, seconds: BigInt(idle) }),
    storagePerYear: prices.storageFee({ ...size, seconds: SECONDS_PER_YEAR }),
  });
  return { surplus: funds.surplus, until: surplusEnd(funds, syncUtime) };
}
