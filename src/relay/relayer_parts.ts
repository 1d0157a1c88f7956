/** Builds and connects the parts of a relayer. */
import { systemClock } from "../core/time/clock.ts";
import { SingleFlight } from "../core/time/single_flight.ts";
import { ChangeSignal } from "./change_signal.ts";
import { ChainHead } from "./indexer/chain_head.ts";
import { PoolState } from "./indexer/pool_state.ts";
import { CacheHealth } from "./monitoring/cache_health.ts";
import { createBatchObserver } from "./operations/batch_metrics.ts";
import { createJobObserver, withJobObserver } from "./monitoring/job_observer.ts";
import { createLedgerObserver } from "./operations/ledger.ts";
import { Leadership } from "./operations/leadership.ts";
import { OrphanedJobs } from "./operations/orphaned_jobs.ts";
import { PoolFundsMonitor } from "./monitoring/pool_funds_monitor.ts";
import { getPollingIntervals } from "./polling_intervals.ts";
import type { RelayerOptions } from "./relayer_options.ts";
import { Settlements } from "./settler/settlements.ts";
import { TopUps } from "./top_ups/top_ups.ts";
import { WalletBalance } from "./wallet/balance.ts";
import { WalletMonitor } from "./wallet/wallet_monitor.ts";
import { PoolCache } from "./withdrawals/pool_cache.ts";
import { PriceCache } from "./withdrawals/price_cache.ts";
import { ProofVerifier } from "./withdrawals/proof_verifier.ts";
import { requestRate } from "../ton/endpoint/json_rpc.ts";
import type { Job } from "../store/store.ts";

export type RelayerParts = ReturnType<typeof buildRelayerParts>;

export function buildRelayerParts(options: RelayerOptions, stop: AbortController) {
  const { chain, config, wallet, clock = systemClock, metrics } = options;
  const { network, endpoint } = config;
  const endpoints = [endpoint, endpoint.verify ?? endpoint];
  const intervals = getPollingIntervals(network, {
    requestsPerSecond: Math.min(...endpoints.map(requestRate)),
    pools: options.deployments.pools.size,
  });
  const chainHead = new ChainHead(intervals.staleAfterMs);
  const pools = [...options.deployments.pools].map(([key, pool]) =>
    new PoolState(key, pool, intervals.staleAfterMs, network, options.treeService, chainHead)
  );
  const poolsById = new Map(pools.map((pool) => [pool.id, pool]));
  const { hourlyCaps } = options;
  const poolName = (id: string) => poolsById.get(id)?.key;
  const observer = createJobObserver({ metrics, hourlyCaps, now: () => clock.now(), poolName });
  const store = withJobObserver(options.store, observer);
  const leadership = new Leadership(clock, !store.isShared);
  const shared = { chain, store, changes: new ChangeSignal(), clock, intervals, leadership };
  const servedPools = {
    get(id: string): PoolState | undefined {
      const pool = poolsById.get(id);
      return pool?.deploymentMismatch === undefined ? pool : undefined;
    },
  };
  const balance = new WalletBalance(wallet, clock, options.balanceThresholds ?? { warn: 0n, stop: 0n });
  const priceCache = new PriceCache(chain, clock);
  const proofVerifier = new ProofVerifier(options.prover, undefined, metrics?.recordVerification);
  return {
    options,
    stop,
    shared,
    chainHead,
    pools,
    poolsById,
    servedPools,
    settlements: new Settlements(leadership),
    topUps: new TopUps(leadership, balance, priceCache),
    balance,
    proofVerifier,
    onLedgerEntries: metrics && createLedgerObserver(poolsById, metrics),
    onBatches: metrics && createBatchObserver(metrics),
    walletMonitor: new WalletMonitor({
      wallet,
      chain,
      clock,
      usesWallClock: network !== "localnet",
      hasSecondEndpoint: endpoint.verify !== undefined,
    }),
    cache: options.rateLimitStore && new CacheHealth(options.rateLimitStore, clock, stop.signal),
    orphanedJobs: new OrphanedJobs(),
    poolFunds: new PoolFundsMonitor(),
    withdrawals: {
      ...shared,
      wallet,
      proofVerifier,
      balance,
      pools: servedPools,
      deduplicator: new SingleFlight<Job>(),
      poolCache: new PoolCache(chain, clock),
      priceCache,
      unjournaled: new Map(),
      ...hourlyCaps ? { hourlyCaps } : {},
      feeBps: config.fee.bps,
      feeMinNano: config.fee.minNano,
      maxCostNano: config.fee.maxCostNano,
      fillRandom: options.fillRandom ?? fillRandom,
    },
  };
}

const fillRandom = (bytes: Uint8Array<ArrayBuffer>): void => void crypto.getRandomValues(bytes);
