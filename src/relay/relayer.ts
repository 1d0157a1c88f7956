/**
 * The relayer as one object: what the HTTP layer asks, over the pools, the store and the wallet. Starting it starts the
 * indexers and the broadcaster; closing it ends them and leaves the journal as it is.
 */
import type { Address } from "@ton/core";
import type { Deployments } from "../core/deployments.ts";
import { Problem } from "../core/errors.ts";
import type { Network } from "../core/network.ts";
import type { Shared } from "../store/shared.ts";
import type { Store } from "../store/store.ts";
import type { TreeSnapshots } from "../store/tree_snapshots.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { traced } from "../telemetry/trace.ts";
import type { Chain } from "../ton/chain.ts";
import type { Wallet } from "../ton/wallet.ts";
import type { TreeService } from "../tree/tree_service.ts";
import { Balance, type BalanceAlert, type BalanceBounds, watchBalance } from "./balance.ts";
import { Books } from "./books.ts";
import { runBroadcaster } from "./broadcaster.ts";
import { CacheWatch } from "./cache_watch.ts";
import { Changes } from "./changes.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { HourlyCaps } from "./hourly_caps.ts";
import { Head, watchHead } from "./head.ts";
import { type Health, healthOf } from "./health.ts";
import { followPool } from "./indexer.ts";
import { Intake } from "./intake.ts";
import { Leadership, runLeadership } from "./leadership.ts";
import { measureStore } from "./measured_store.ts";
import { observed } from "./observed.ts";
import { paceFor } from "./pace.ts";
import { PoolAnswers } from "./pool_answers.ts";
import { PoolState, type Readiness } from "./pool_state.ts";
import type { CommitmentsPage, TreePath } from "./pool_tree.ts";
import { PriceList } from "./price_list.ts";
import { ProofVerifier, type Verifier } from "./proof_verifier.ts";
import { runRetention } from "./retention.ts";
import { type ServiceAlert, type ServiceAlertBounds, watchService } from "./service_alerts.ts";
import { Stranded, watchStranded } from "./stranded.ts";
import { WalletLook } from "./wallet_look.ts";
import type { WithdrawRequest } from "./withdrawal_checks.ts";
import { type Submission, submitWithdrawal, withdrawalStatus } from "./withdrawals.ts";
import type { WithdrawalView } from "./withdrawal_view.ts";

/** The part of the configuration that the relayer itself acts on. */
export interface RelayerConfig {
  readonly network: Network;
  readonly fee: { readonly bps: number; readonly minNano: bigint; readonly maxCostNano?: bigint };
  readonly indexer: { readonly apiKey?: unknown; readonly verify?: { readonly apiKey?: unknown } };
  /** Absent: ended withdrawals stay in the journal for ever. */
  readonly store?: { readonly retentionDays: number };
}

/** What a relayer is made of. It owns the store from now on and closes it. */
export interface RelayerParts {
  readonly config: RelayerConfig;
  readonly chain: Chain;
  readonly wallet: Wallet;
  readonly store: Store;
  readonly prover: Verifier;
  /** Ties this build's verification keys to the pools that they fit. */
  readonly vkeyHash: string;
  readonly deployments: Deployments;
  /** Hashes trees and packs them; default: this thread. */
  readonly trees?: TreeService;
  /** Where trees are kept for the next start; absent: nowhere. */
  readonly snapshots?: TreeSnapshots;
  /** undefined: withdrawals are not counted. */
  readonly caps?: HourlyCaps;
  /** Default: no bounds. */
  readonly balance?: BalanceBounds;
  /** Delivers alerts; must not throw. Default: nothing is watched for alerts but the balance, which the log tells. */
  readonly alert?: (alert: BalanceAlert | ServiceAlert) => void;
  /** Default: never. */
  readonly alerts?: ServiceAlertBounds;
  /** How the chain endpoint's last answer was. */
  readonly chainAnswer?: () => "ok" | "failed" | undefined;
  /** The cache that replicas share, if there is one. */
  readonly cache?: Pick<Shared, "ping">;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  readonly random?: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly log: Log;
}

/** What `/note/check` says; null for what was not asked or is not known. */
export interface NoteState {
  readonly deposited: boolean | null;
  readonly leafIndex: number | null;
  readonly timestamp: number | null;
  readonly spent: boolean | null;
}

/** A running relayer. Methods that take a pool throw `unknown_pool`; those that read its tree `not_ready`. */
export interface Relayer {
  readonly network: Network;
  readonly feeBps: number;
  readonly feeMinNano: bigint;
  /** The address that a client binds into its proof. */
  readonly address: string;
  /** The pools that are offered, by their key. */
  pools(): PoolState[];
  noteState(
    pool: Address,
    commitment: bigint | undefined,
    nullifierHash: bigint | undefined,
  ): Promise<NoteState>;
  root(pool: Address): bigint;
  path(pool: Address, commitment: bigint): TreePath;
  commitments(pool: Address, from: number, limit: number): CommitmentsPage & { readonly pool: string };
  submit(request: WithdrawRequest): Promise<Submission>;
  withdrawal(pool: Address, nullifierHash: bigint): Promise<WithdrawalView>;
  /** What it rests on, and every pool. */
  health(): Promise<Health>;
  /** Every registered pool with its readiness, refused ones too. */
  readiness(): { ready: boolean; pools: Record<string, Readiness & { leaves: number }> };
  /** Ends indexers and broadcaster, answers those who wait for the wallet's turn, then closes the store. */
  close(): Promise<void>;
}

/** Starts a relayer. Pools become ready one by one afterwards. */
export function startRelayer(parts: RelayerParts): Relayer {
  const { config, chain, wallet, deployments, vkeyHash } = parts;
  const { clock = systemClock, random = (bytes) => void crypto.getRandomValues(bytes), log } = parts;
  const { network } = config;
  const pace = paceFor(network, {
    hasKey: [config.indexer, config.indexer.verify ?? config.indexer].every(({ apiKey }) =>
      apiKey !== undefined
    ),
    pools: deployments.pools.size,
  });
  const stop = new AbortController();
  const changes = new Changes();
  const head = new Head(pace.staleAfter);
  const all = [...deployments.pools].map(([key, pool]) =>
    new PoolState(key, pool, pace.staleAfter, network, parts.trees, head)
  );
  const byId = new Map(all.map((pool) => [pool.id, pool]));
  /** By the registry's own address: writing one as text takes as long as all else of a ready answer. */
  const byAddress = new Map(all.map((pool) => [pool.deployment.address, pool]));
  const books = parts.metrics && new Books(wallet.address, byId, parts.metrics);
  const store = parts.metrics === undefined ? parts.store : measureStore(parts.store, {
    metrics: parts.metrics,
    ...books ? { books } : {},
    now: () => clock.now(),
    poolName: (id) => byId.get(id)?.key,
  });
  const leadership = new Leadership(clock, !store.shared);
  const shared = { chain, store, changes, clock, pace, leadership };
  const verifier = new ProofVerifier(parts.prover, undefined, parts.metrics?.verified);
  const balance = new Balance(wallet, clock, parts.balance ?? { warn: 0n, stop: 0n });
  const look = new WalletLook({
    wallet,
    chain,
    clock,
    realTime: network !== "localnet",
    verified: config.indexer.verify !== undefined,
  });
  const checks = {
    ...shared,
    wallet,
    verifier,
    intake: new Intake(),
    answers: new PoolAnswers(chain, clock),
    prices: new PriceList(chain, clock),
    balance,
    taking: new Map(),
    ...(parts.caps === undefined ? {} : { caps: parts.caps }),
    feeBps: config.fee.bps,
    feeMinNano: config.fee.minNano,
    maxCostNano: config.fee.maxCostNano,
    pools: { get: offered },
    random,
  };
  const cache = parts.cache && new CacheWatch(parts.cache, clock, stop.signal);
  const stranded = new Stranded();
  const submissions = new Set<Promise<Submission>>();
  const running = [
    runLeadership(leadership, { ...shared, log: log.getChild("leadership") }, stop.signal),
    ...all.map((pool) =>
      followPool(
        pool,
        {
          ...shared,
          wallet: wallet.address,
          vkeyHash,
          ...parts.snapshots ? { snapshots: parts.snapshots } : {},
          log: log.getChild("indexer"),
        },
        stop.signal,
      )
    ),
    runBroadcaster({
      ...shared,
      ...books ? { books } : {},
      wallet,
      look,
      pools: byId,
      log: log.getChild("broadcaster"),
    }, stop.signal),
    watchHead(head, shared, stop.signal),
    watchStranded(stranded, { ...shared, pools: checks.pools, log: log.getChild("registry") }, stop.signal),
    watchBalance(
      balance,
      { clock, leadership, log: log.getChild("wallet"), alert: parts.alert ?? (() => {}) },
      stop.signal,
    ),
    ...config.store
      ? [runRetention(config.store.retentionDays, { ...shared, log: log.getChild("retention") }, stop.signal)]
      : [],
  ];

  log.info("relayer {address} of {network}, {pools} pools", {
    address: wallet.format(),
    network,
    pools: all.length,
  });
  if (all.length === 0) log.warning("the deployments registry of {network} lists no pools", { network });
  if (!wallet.checksumHolds) log.warning("the wallet's mnemonic fails TON's checksum: is a word mistyped?");

  function offered(id: string): PoolState | undefined {
    const pool = byId.get(id);
    return pool?.refused === undefined ? pool : undefined;
  }

  function poolAt(address: Address): PoolState {
    const pool = byAddress.get(address) ?? byId.get(address.toRawString());
    if (pool === undefined || pool.refused !== undefined) throw new Problem("unknown_pool");
    return pool;
  }

  function readyPool(address: Address): PoolState {
    const pool = poolAt(address);
    const readiness = pool.readiness(clock.now());
    if (!readiness.ready) throw new Problem("not_ready", readiness.reason, { members: { retryAfter: 5 } });
    return pool;
  }

  function readiness() {
    const now = clock.now();
    const pools = all.map((pool) => [pool.key, { ...pool.readiness(now), leaves: pool.tree.size }] as const);
    return { ready: pools.every(([, { ready }]) => ready), pools: Object.fromEntries(pools) };
  }

  async function health(): Promise<Health> {
    return await healthOf({
      pools: readiness().pools,
      leads: leadership.leads,
      held: leadership.held,
      store: store.health(),
      chain: head.standsStill ? "stands still" : look.timeIsWrong ? "another time" : parts.chainAnswer?.(),
      ...(cache === undefined ? {} : { cache }),
      balance,
      verifierFull: verifier.full,
      stranded: stranded.count,
    });
  }
  parts.metrics?.observe(
    observed({ pools: all, leadership, store, stranded, balance, verifier, health, clock }),
  );

  if (parts.alert) {
    const { alert, alerts: bounds = { notReadyMs: 0, stuckMs: 0 } } = parts;
    const isServed = (id: string) => offered(id) !== undefined;
    const watch = { bounds, health, store, isServed, stranded, clock, leadership, alert };
    running.push(watchService({ ...watch, log: log.getChild("alerts") }, stop.signal));
  }

  let ended: Promise<void> | undefined;
  async function end(): Promise<void> {
    stop.abort();
    changes.notify();
    await Promise.allSettled([...running, ...submissions]);
    await store.resign().catch((error) =>
      log.warning("the lead ends by itself: {error}", { error: String(error) })
    );
    await store.close();
  }

  return {
    network,
    feeBps: config.fee.bps,
    feeMinNano: config.fee.minNano,
    address: wallet.format(),
    pools: () => all.filter(({ refused }) => refused === undefined),
    async noteState(address, commitment, nullifierHash) {
      const { id, tree } = readyPool(address);
      const deposit = commitment === undefined ? undefined : tree.find(commitment);
      return {
        deposited: commitment === undefined ? null : deposit !== undefined,
        leafIndex: deposit?.leafIndex ?? null,
        timestamp: deposit?.timestamp ?? null,
        spent: nullifierHash === undefined ? null : await store.withdrawal(id, nullifierHash) !== undefined,
      };
    },
    root: (address) => readyPool(address).tree.root,
    path(address, commitment) {
      const path = readyPool(address).tree.path(commitment);
      if (!path) throw new Problem("commitment_not_found");
      return path;
    },
    commitments(address, from, limit) {
      const pool = readyPool(address);
      return { pool: pool.shown, ...pool.tree.page(from, limit) };
    },
    submit(request) {
      const submission = traced("withdrawal", () => submitWithdrawal(request, checks, stop.signal));
      submissions.add(submission);
      submission.then(
        () => parts.metrics?.accepted(byId.get(request.pool.toRawString())!.key),
        (error) => parts.metrics?.refused(error instanceof Problem ? error.code : "internal"),
      );
      return submission.finally(() => submissions.delete(submission));
    },
    withdrawal: (address, nullifierHash) => withdrawalStatus(address, nullifierHash, { ...checks, network }),
    health,
    readiness,
    close: () => ended ??= end(),
  };
}
