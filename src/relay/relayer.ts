/** Builds a relayer from its parts. Closing it stops its tasks and leaves the journal unchanged. */
import type { Address } from "@ton/core";
import { Problem } from "../core/errors/problem.ts";
import { withSpan } from "../telemetry/trace.ts";
import { watchChainHead } from "./indexer/chain_head.ts";
import { followPool } from "./indexer/indexer.ts";
import type { PoolState } from "./indexer/pool_state.ts";
import { watchClaims } from "./claims/claims_monitor.ts";
import { watchReturnedCoins } from "./monitoring/returned_coins.ts";
import { checkHealth, type Health } from "./monitoring/health.ts";
import { runLeadership } from "./operations/leadership.ts";
import { createMetricsSource } from "./monitoring/metrics_source.ts";
import { watchOrphanedJobs } from "./operations/orphaned_jobs.ts";
import { watchPoolFunds } from "./monitoring/pool_funds_monitor.ts";
import { runRetention } from "./operations/retention.ts";
import { watchService } from "./monitoring/service_alerts.ts";
import type { NoteState, Relayer, RelayerOptions } from "./relayer_options.ts";
import type { Store } from "../store/store.ts";
import { buildRelayerParts, type RelayerParts } from "./relayer_parts.ts";
import { SettlementFunds } from "./settler/settlement_funds.ts";
import { runSettler } from "./settler/settler.ts";
import { watchTopUps } from "./top_ups/top_up_watch.ts";
import { watchBalance } from "./wallet/balance.ts";
import { runBroadcaster } from "./wallet/broadcaster.ts";
import { getWithdrawalStatus, type Submission, submitWithdrawal } from "./withdrawals/accept.ts";

export type { NoteState, Relayer, RelayerConfig, RelayerOptions } from "./relayer_options.ts";

const NOT_READY_RETRY_SECONDS = 5;

export function startRelayer(options: RelayerOptions): Relayer {
  const parts = buildRelayerParts(options, new AbortController());
  const health = () => checkRelayerHealth(parts);
  const running = [...startTasks(parts), ...startAlerts(parts, health)];
  options.metrics?.setSource(createMetricsSource({
    pools: parts.pools,
    poolFunds: parts.poolFunds,
    health,
    orphaned: parts.orphanedJobs,
    balance: parts.balance,
    verifier: parts.proofVerifier,
    ...parts.shared,
  }));
  logStart(parts);
  return createRelayer(parts, running, health);
}

function startTasks(parts: RelayerParts): Promise<unknown>[] {
  const { options, shared, pools, onLedgerEntries, onBatches } = parts;
  const { wallet, log, config, snapshots } = options;
  const { signal } = parts.stop;
  const withLog = (name: string) => ({ ...shared, wallet, log: log.getChild(name) });
  const indexer = {
    ...withLog("indexer"),
    walletAddress: wallet.address,
    vkeyHashes: options.vkeyHashes,
    snapshots,
    onLedgerEntries,
    onBatches,
  };
  const broadcaster = {
    ...withLog("broadcaster"),
    walletMonitor: parts.walletMonitor,
    pools: parts.poolsById,
    settlements: parts.settlements,
    topUps: parts.topUps,
    batchMs: config.batchMs,
    onLedgerEntries,
  };
  const balance = { ...withLog("wallet"), sendAlert: options.sendAlert ?? (() => {}) };
  const prices = parts.withdrawals.priceCache;
  const topUps = { ...withLog("top_ups"), poolFunds: parts.poolFunds, limitNano: config.topUpNano ?? 0n };
  const tasks = [
    runLeadership(shared.leadership, withLog("leadership"), signal),
    ...pools.map((pool) => followPool(pool, indexer, signal)),
    runBroadcaster(broadcaster, signal),
    watchChainHead(parts.chainHead, shared, signal),
    watchOrphanedJobs(parts.orphanedJobs, { ...withLog("registry"), pools: parts.servedPools }, signal),
    watchBalance(parts.balance, balance, signal),
    watchPoolFunds(parts.poolFunds, pools, { ...withLog("pools"), prices }, signal),
    watchTopUps(parts.topUps, pools, topUps, signal),
    watchClaims(pools, withLog("claims"), signal),
    watchReturnedCoins(pools, withLog("ledger"), signal),
  ];
  const { proveSettlement } = options.prover;
  if (config.settle !== undefined && proveSettlement !== undefined) {
    const settler = {
      ...withLog("settler"),
      funds: new SettlementFunds(parts.balance, options.log.getChild("settler")),
      pools,
      prices,
      mode: config.settle,
      prover: { proveSettlement },
      random: Math.random,
    };
    tasks.push(runSettler(parts.settlements, settler, signal));
  }
  if (config.store) tasks.push(runRetention(config.store.retentionDays, withLog("retention"), signal));
  return tasks;
}

function startAlerts(parts: RelayerParts, health: () => Promise<Health>): Promise<unknown>[] {
  const { options, shared: { store, clock, leadership }, orphanedJobs, servedPools } = parts;
  const { sendAlert, serviceAlertThresholds: thresholds = { notReadyMs: 0, stuckMs: 0 } } = options;
  if (sendAlert === undefined) return [];
  const isServed = (id: string) => servedPools.get(id) !== undefined;
  const pools = {
    poolsInDebt: () => parts.poolFunds.inDebt(parts.pools),
    shortPools: () => parts.topUps.shortPools,
  };
  const deps = {
    thresholds,
    health,
    store,
    isServed,
    orphanedJobs,
    ...pools,
    clock,
    leadership,
    sendAlert,
  };
  return [watchService({ ...deps, log: options.log.getChild("alerts") }, parts.stop.signal)];
}

function logStart({ options: { log, wallet, config: { network } }, pools }: RelayerParts): void {
  log.info("relayer {address} of {network}, {pools} pools", {
    address: wallet.format(),
    network,
    pools: pools.length,
  });
  if (pools.length === 0) log.warning("the deployments registry of {network} lists no pools", { network });
  for (const { key } of pools.filter((pool) => pool.lacksMinFee)) {
    log.error("{pool} is not served: its registry entry sets no feeMin [fee_min_missing]", { pool: key });
  }
  if (!wallet.checksumValid) log.warning("the wallet's mnemonic fails TON's checksum: is a word mistyped?");
}

function getReadiness({ pools, shared: { clock } }: RelayerParts): ReturnType<Relayer["readiness"]> {
  const now = clock.now();
  const entries = pools.filter((pool) => !pool.lacksMinFee).map((pool) =>
    [pool.key, { ...pool.readiness(now), leaves: pool.tree.size }] as const
  );
  return { ready: entries.every(([, { ready }]) => ready), pools: Object.fromEntries(entries) };
}

async function checkRelayerHealth(parts: RelayerParts): Promise<Health> {
  const { shared: { leadership, store }, cache, options } = parts;
  const clockSkew = parts.walletMonitor.hasClockSkew ? "clock skew" : undefined;
  return await checkHealth({
    pools: getReadiness(parts).pools,
    isLeader: leadership.isLeader,
    isLeaseKnown: leadership.isLeaseKnown,
    store: store.health(),
    chain: parts.chainHead.isStalled ? "stalled" : clockSkew ?? options.lastChainOutcome?.(),
    cache,
    balance: parts.balance,
    isVerifierFull: parts.proofVerifier.isFull,
    orphanedJobCount: parts.orphanedJobs.count,
    unpricedPools: parts.pools.filter((pool) => pool.lacksMinFee).map(({ key }) => key),
  });
}

function createRelayer(
  parts: RelayerParts,
  running: readonly Promise<unknown>[],
  health: () => Promise<Health>,
): Relayer {
  const { options, shared: { clock, store }, pools, withdrawals } = parts;
  const { config: { network, fee }, wallet, metrics } = options;
  const submissions = new Set<Promise<Submission>>();
  // Keyed by the registry's address object: formatting an address takes as long as the rest of a cached response.
  const poolsByAddress = new Map(pools.map((pool) => [pool.deployment.address, pool]));
  let closed: Promise<void> | undefined;

  function readyPool(address: Address): PoolState {
    const pool = poolsByAddress.get(address) ?? parts.poolsById.get(address.toRawString());
    if (pool === undefined || pool.deploymentMismatch !== undefined) throw new Problem("unknown_pool");
    if (pool.lacksMinFee) throw new Problem("fee_min_missing");
    const readiness = pool.readiness(clock.now());
    if (readiness.ready) return pool;
    throw new Problem("not_ready", readiness.reason, { members: { retryAfter: NOT_READY_RETRY_SECONDS } });
  }

  return {
    network,
    feeBps: fee.bps,
    feeMinNano: fee.minNano,
    address: wallet.format(),
    health,
    pools: () => pools.filter((pool) => pool.deploymentMismatch === undefined && !pool.lacksMinFee),
    noteState: (address, ...note) => readNoteState(readyPool(address), store, ...note),
    root: (address) => readyPool(address).tree.root,
    path(address, commitment) {
      const path = readyPool(address).tree.path(commitment);
      if (!path) throw new Problem("commitment_not_found");
      return path;
    },
    commitments(address, from, limit) {
      const pool = readyPool(address);
      return { pool: pool.formattedAddress, ...pool.tree.page(from, limit) };
    },
    leafPage: (address, from, limit) => readyPool(address).tree.leafPage(from, limit),
    spent(address, from, limit) {
      const pool = readyPool(address);
      return { pool: pool.formattedAddress, ...pool.tree.spentPage(from, limit) };
    },
    submit(request) {
      const submission = withSpan(
        "withdrawal",
        () => submitWithdrawal(request, withdrawals, parts.stop.signal),
      );
      submissions.add(submission);
      submission.then(
        () => metrics?.recordAcceptance(parts.poolsById.get(request.pool.toRawString())!.key),
        (error) => metrics?.recordRefusal(error instanceof Problem ? error.code : "internal"),
      );
      return submission.finally(() => submissions.delete(submission));
    },
    withdrawal: (address, nullifierHash) =>
      getWithdrawalStatus(address, nullifierHash, { ...withdrawals, network }),
    readiness: () => getReadiness(parts),
    close: () => closed ??= closeRelayer(parts, [...running, ...submissions]),
  };
}

async function readNoteState(
  { id, tree }: PoolState,
  store: Pick<Store, "withdrawal">,
  commitment: bigint | undefined,
  nullifierHash: bigint | undefined,
): Promise<NoteState> {
  const deposit = commitment === undefined ? undefined : tree.find(commitment);
  const settlementInfo = tree.version === 2 && {
    settled: commitment === undefined ? null : deposit?.settled ?? false,
    leafIndices: commitment === undefined ? null : [...deposit?.leafIndexes ?? []],
  };
  return {
    deposited: commitment === undefined ? null : deposit !== undefined,
    leafIndex: deposit?.leafIndex ?? null,
    timestamp: deposit?.timestamp ?? null,
    spent: nullifierHash === undefined ? null : await store.withdrawal(id, nullifierHash) !== undefined,
    ...settlementInfo,
  };
}

async function closeRelayer({ stop, shared, options }: RelayerParts, pending: readonly Promise<unknown>[]) {
  stop.abort();
  shared.changes.notify();
  await Promise.allSettled(pending);
  await shared.store.releaseLease().catch((error) =>
    options.log.warning("the lease was not released and expires by itself: {error}", { error: String(error) })
  );
  await shared.store.close();
}
