/** Monitors what each pool has for its storage, and what it owes. The metrics and the alerts report both. */
import type { Clock } from "../../core/time/clock.ts";
import { formatNative } from "../../core/protocol/units.ts";
import type { Log } from "../../telemetry/log.ts";
import { fetchStorageBill, SECONDS_PER_YEAR } from "../../ton/account_storage.ts";
import type { Chain } from "../../ton/chain.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import { Pool } from "../../ton/pool/pool.ts";
import { poolFunds, surplusEnd } from "../../ton/pool/pool_funds.ts";
import { maxPoolSize } from "../../ton/pool/pool_size.ts";
import { MAX_STORAGE_DEBT_NANO } from "../../ton/pool/storage_debt.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import type { PollingIntervals } from "../polling_intervals.ts";

const RETRY_MS = 600_000;

export interface PoolSurplus {
  /** In nano; negative if the notes' own coins have paid for storage. */
  readonly surplus: bigint;
  /** Unix time at which storage will have consumed it; Infinity if storage is free. */
  readonly until: number;
  /** Storage that is due beyond the balance, in nano: at its size now, not at the largest. */
  readonly debt: bigint;
  /** Years of storage at its size now that the balance pays. */
  readonly runwayYears: number;
}

/** An account that is not active owes at least what froze or deleted it, in nano. */
const LEAST_DEBT = { frozen: 100_000_000n, uninitialized: 1_000_000_000n } as const;

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

  /** Keys of the pools whose storage is due and unpaid. */
  inDebt(pools: readonly PoolState[]): string[] {
    return pools.filter((pool) => (this.get(pool)?.debt ?? 0n) > 0n).map(({ key }) => key);
  }

  /** Reads a pool's balance. If that fails, keeps the last known surplus and returns false. */
  async update(
    pool: PoolState,
    { chain, prices, log }: Omit<PoolFundsDeps, "clock" | "intervals">,
    signal: AbortSignal,
  ): Promise<boolean> {
    try {
      const before = this.get(pool)?.debt ?? 0n;
      const known = await readSurplus(pool, chain, await prices.getPrices(), signal);
      this.#known.set(pool.id, known);
      pool.isNearFreezing = known.debt > MAX_STORAGE_DEBT_NANO;
      if (known.debt > 0n && before === 0n) {
        log.error(
          "{pool} owes {debt} for storage: run `tonado pool rescue` before anything else is sent to it",
          {
            pool: pool.key,
            debt: formatNative(known.debt),
          },
        );
      }
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
    if (monitor.inDebt(pools).length > 0) complete = false;
    await clock.sleep(complete ? poolFundsPollMs : Math.min(poolFundsPollMs, RETRY_MS), signal);
  }
}

/** Assumes the largest possible size for the surplus, which errs on the safe side. */
async function readSurplus(
  { deployment: { address, denomination } }: PoolState,
  chain: Chain,
  prices: NetworkPrices,
  signal: AbortSignal,
): Promise<PoolSurplus> {
  const options = { signal, lowPriority: true };
  const account = await chain.account(address, options);
  const { state, code, data, balance, syncUtime } = account;
  if (state !== "active" || !code || !data) {
    return {
      surplus: 0n,
      until: syncUtime,
      debt: LEAST_DEBT[state === "frozen" ? state : "uninitialized"],
      runwayYears: 0,
    };
  }
  const info = await new Pool(chain, address).getPoolInfo(options);
  const bill = await fetchStorageBill(chain, { address, account, code, data, prices }, options);
  const { idleSeconds, recorded, debt, runwayYears } = bill;
  const size = maxPoolSize(info);
  const funds = poolFunds({
    info,
    denomination,
    balance,
    storageDue: recorded + prices.storageFee({ ...size, seconds: idleSeconds, until: syncUtime }),
    storagePerYear: prices.storageFee({ ...size, seconds: SECONDS_PER_YEAR }),
  });
  return { surplus: funds.surplus, until: surplusEnd(funds, syncUtime), debt, runwayYears };
}
