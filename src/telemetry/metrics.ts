/** Labels come from small fixed sets, never from clients: scrapes reveal nothing about them. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { metricDefinitions, type MetricDescription } from "./metric_definitions.ts";

export interface MetricsSource {
  /** In GRAM; undefined while unknown. */
  balance(): number | undefined;
  liveJobs(): Promise<Readonly<Record<string, number>>>;
  orphanedJobCount(): number;
  isLeader(): boolean;
  pendingProofCount(): number;
  pools(): readonly PoolMetrics[];
  dependencies(): Promise<Readonly<Record<string, "ok" | "degraded" | "down">>>;
}

interface PoolMetrics {
  readonly pool: string;
  readonly ready: boolean;
  readonly lacksMinFee: boolean;
  readonly leafCount: number;
  readonly openClaims: number;
  readonly queued?: number; // waiting deposits of a version 2 pool
  /** The age of the oldest waiting deposit of a version 2 pool; 0 when none waits. */
  readonly oldestWaitSeconds?: number;
  /** Time since the tree last equalled the chain's; undefined before the first time. */
  readonly lagSeconds?: number;
  readonly lagLt: bigint;
  readonly rootMismatches: number;
  /** What the pool holds beyond its obligations, in GRAM; undefined while unknown. */
  readonly surplus?: number;
  readonly surplusUntilSeconds?: number;
  /** Storage that is due beyond the balance, in GRAM. */
  readonly storageDebt?: number;
}

interface LedgerAmounts {
  readonly fee: bigint;
  readonly gas: bigint;
  readonly refund: bigint;
}

export type Metrics = ReturnType<typeof createMetrics>;

type Definitions = typeof metricDefinitions;
type Instrument<Type> = Type extends "counter" ? Counter : Type extends "gauge" ? Gauge : Histogram;
type Instruments = { readonly [K in keyof Definitions]: Instrument<Definitions[K]["type"]> };

const constructors = { counter: Counter, gauge: Gauge, histogram: Histogram };

export function createMetrics(version = "development") {
  const registry = new Registry();
  const metrics = createInstruments(registry);
  metrics.buildInfo.set({ version }, 1);
  metrics.startTime.set(Math.round(performance.timeOrigin / 1000));
  const batches = new RequestBatches(metrics);
  let source: MetricsSource | undefined;
  return {
    recordRequest(route: string, method: string, status: number, seconds: number): void {
      metrics.requests.inc({ route, method, status });
      metrics.requestTime.observe({ route }, seconds);
    },
    /** Returns a recorder for fixed labels, which avoids a lookup for each request. */
    createRequestRecorder: (route: string, method: string, status: number): (seconds: number) => void =>
      batches.createRecorder(route, method, status),
    recordRateLimited: (route: string): void => metrics.rateLimited.inc({ route }),
    recordRefusal: (code: string): void => metrics.refusals.inc({ code }),
    recordAcceptance: (pool: string): void => metrics.acceptances.inc({ pool }),
    /** `seconds` since the withdrawal was accepted; for confirmed ones only. */
    recordJobEnd(pool: string, state: string, seconds?: number): void {
      metrics.endedJobs.inc({ pool, state });
      if (seconds !== undefined) metrics.confirmationTime.observe({ pool }, seconds);
    },
    recordSuperseded: (pool: string): void => metrics.superseded.inc({ pool }),
    recordVerification: (holds: boolean, seconds: number): void =>
      metrics.verificationTime.observe({ holds: String(holds) }, seconds),
    recordChainCall: (call: string, outcome: "ok" | "failed", seconds: number): void =>
      metrics.chainRequestTime.observe({ call, outcome }, seconds),
    recordCacheFailure: (): void => metrics.cacheFailures.inc(),
    recordEventLoopLag: (seconds: number): void => metrics.eventLoopLag.observe(seconds),
    /** @param earned nano */
    recordSettlementEarnings: (pool: string, earned: bigint): void =>
      metrics.settlementEarnings.inc({ pool }, Number(earned)),
    recordPoolSettlement: (pool: string, deposits: number): void =>
      metrics.settlementSize.observe({ pool }, deposits),
    recordWithdrawalBatch: (pool: string, size: number): void =>
      metrics.withdrawalBatchSize.observe({ pool }, size),
    /** Amounts in smallest units, `gas` and `refund` of the native coin. A negative `gas` is a profit. */
    recordEntry(pool: string, asset: string, { fee, gas, refund }: LedgerAmounts): void {
      metrics.feesEarned.inc({ pool, asset }, Number(fee));
      if (gas > 0n) metrics.gasSpent.inc({ pool }, Number(gas));
      metrics.refundsPaid.inc({ pool }, Number(refund));
    },
    setSource(what: MetricsSource): void {
      source = what;
    },
    descriptions: Object.values(metricDefinitions) as readonly MetricDescription[],
    contentType: registry.contentType,
    async text(): Promise<string> {
      batches.flush();
      const { rss, heapUsed } = Deno.memoryUsage();
      metrics.residentMemory.set(rss);
      metrics.heapUsed.set(heapUsed);
      if (source !== undefined) await readSource(metrics, source);
      return await registry.metrics();
    },
  };
}

function createInstruments(registry: Registry): Instruments {
  const created = Object.entries(metricDefinitions as Readonly<Record<string, MetricDescription>>).map(
    ([key, { type, name, help, labels, buckets }]) => {
      const options = { name, help, labelNames: [...labels], registers: [registry] };
      return [key, new constructors[type]({ ...options, ...buckets && { buckets: [...buckets] } })];
    },
  );
  return Object.fromEntries(created);
}

async function readSource(metrics: Instruments, source: MetricsSource): Promise<void> {
  metrics.isLeader.set(source.isLeader() ? 1 : 0);
  metrics.pendingProofs.set(source.pendingProofCount());
  metrics.orphanedJobs.set(source.orphanedJobCount());
  const native = source.balance();
  if (native === undefined) metrics.walletBalance.remove(); // a new gauge reads 0, which would look like an empty wallet
  else metrics.walletBalance.set(native);
  for (
    const { pool, ready, lacksMinFee, leafCount, openClaims, lagSeconds, lagLt, ...rest } of source.pools()
  ) {
    metrics.poolReady.set({ pool }, ready ? 1 : 0);
    metrics.poolLacksMinFee.set({ pool }, lacksMinFee ? 1 : 0);
    metrics.poolLeaves.set({ pool }, leafCount);
    metrics.poolOpenClaims.set({ pool }, openClaims);
    if (rest.queued !== undefined) metrics.poolQueue.set({ pool }, rest.queued);
    if (rest.oldestWaitSeconds !== undefined) metrics.oldestWait.set({ pool }, rest.oldestWaitSeconds);
    if (lagSeconds !== undefined) metrics.lagSeconds.set({ pool }, lagSeconds);
    metrics.lagLt.set({ pool }, Number(lagLt));
    metrics.rootMismatches.set({ pool }, rest.rootMismatches);
    if (rest.surplus !== undefined) metrics.poolSurplus.set({ pool }, rest.surplus);
    if (rest.storageDebt !== undefined) metrics.poolStorageDebt.set({ pool }, rest.storageDebt);
    if (rest.surplusUntilSeconds !== undefined) {
      metrics.poolSurplusEnd.set({ pool }, rest.surplusUntilSeconds);
    }
  }
  for (const [dependency, state] of Object.entries(await source.dependencies())) {
    metrics.dependency.set({ dependency }, { ok: 1, degraded: 0.5, down: 0 }[state]);
  }
  try {
    for (const [state, count] of Object.entries(await source.liveJobs())) {
      metrics.liveJobs.set({ state }, count);
    }
  } catch {
    metrics.liveJobs.reset(); // a store that is down is reported as a dependency
  }
}

/** Counts responses without a label lookup; {@linkcode flush} passes the counts to the registry. */
class RequestBatches {
  readonly #batches: { readonly labels: Record<string, string | number>; count: number }[] = [];

  constructor(private readonly metrics: Instruments) {}

  createRecorder(route: string, method: string, status: number): (seconds: number) => void {
    const batch = { labels: { route, method, status }, count: 0 };
    this.#batches.push(batch);
    const time = this.metrics.requestTime.labels(route);
    return (seconds) => {
      batch.count++;
      time.observe(seconds);
    };
  }

  flush(): void {
    for (const batch of this.#batches) {
      if (batch.count > 0) this.metrics.requests.inc(batch.labels, batch.count);
      batch.count = 0;
    }
  }
}
