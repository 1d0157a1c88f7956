/**
 * The metrics, all of them: name, help, labels, and the call that counts. Labels are of small fixed sets (routes, codes,
 * pools), never of what a client sent, so that a scrape tells of no one and does not grow.
 */
import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** What is read when somebody scrapes. */
export interface Observed {
  /** Balance of the wallet in whole native units; undefined while it is not known. */
  balance(): number | undefined;
  /** Live withdrawals by state. */
  jobs(): Promise<Readonly<Record<string, number>>>;
  /** Live withdrawals of pools that are not served. */
  stranded(): number;
  /** Whether this replica indexes and signs. */
  leads(): boolean;
  /** Proofs that wait or are being verified. */
  verifying(): number;
  pools(): readonly ObservedPool[];
  /** State of each dependency, as `/readyz` tells it. */
  dependencies(): Promise<Readonly<Record<string, "ok" | "degraded" | "down">>>;
}

/** One pool as it is read when somebody scrapes. */
export interface ObservedPool {
  readonly pool: string;
  readonly ready: boolean;
  readonly leaves: number;
  /** Since its tree last equalled the chain's; undefined before the first time. */
  readonly lagSeconds?: number;
  /** Logical time between the newest transaction seen and the last one applied. */
  readonly lagLt: bigint;
  readonly rootMismatches: number;
}

const FAST = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const CONFIRMATION = [5, 10, 15, 20, 30, 45, 60, 120, 300, 900, 3_600];

/** What a metric is. */
export interface MetricDescription {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
}

/** Metrics of one process. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Metrics with a registry of their own. @param version of this build */
export function createMetrics(version = "development") {
  const registry = new Registry();
  const described: MetricDescription[] = [];
  const told = <L extends string>(
    type: MetricDescription["type"],
    name: string,
    help: string,
    labelNames: readonly L[],
  ) => {
    described.push({ type, name, help, labels: labelNames });
    return { name, help, labelNames, registers: [registry] };
  };
  const counter = <L extends string>(name: string, help: string, labels: readonly L[] = []) =>
    new Counter(told("counter", name, help, labels));
  const gauge = <L extends string>(name: string, help: string, labels: readonly L[] = []) =>
    new Gauge(told("gauge", name, help, labels));
  const histogram = <L extends string>(
    name: string,
    help: string,
    buckets: number[],
    labels: readonly L[] = [],
  ) => new Histogram({ ...told("histogram", name, help, labels), buckets });

  gauge("tonado_build_info", "Version of the program; always 1", ["version"]).set({ version }, 1);
  const started = gauge("process_start_time_seconds", "Start of the process, Unix seconds");
  started.set(Math.round((performance.timeOrigin) / 1000));
  const memory = gauge("process_resident_memory_bytes", "Resident memory of the process");
  const heap = gauge("process_heap_used_bytes", "JavaScript heap in use by the main thread");
  const loopLag = histogram(
    "process_event_loop_lag_seconds",
    "How late a timer of the main thread fires, measured twice a second",
    FAST,
  );

  const requests = counter("tonado_http_requests_total", "Requests answered", ["route", "method", "status"]);
  const requestTime = histogram("tonado_http_request_seconds", "Time to answer a request", FAST, ["route"]);
  const limited = counter("tonado_http_rate_limited_total", "Requests refused for asking too often", [
    "route",
  ]);

  const refused = counter("tonado_withdrawals_refused_total", "Withdrawals refused, by problem code", [
    "code",
  ]);
  const accepted = counter("tonado_withdrawals_accepted_total", "Withdrawals taken on", ["pool"]);
  const settled = counter("tonado_withdrawals_settled_total", "Withdrawals that ended, by state", [
    "pool",
    "state",
  ]);
  const confirmation = histogram(
    "tonado_withdrawal_confirmation_seconds",
    "Time from taking a withdrawal on to the pool's log of it",
    CONFIRMATION,
    ["pool"],
  );
  const jobs = gauge("tonado_withdrawals_live", "Withdrawals that have not ended, by state", ["state"]);
  const stranded = gauge(
    "tonado_withdrawals_stranded",
    "Live withdrawals of pools that are not served: not in the registry, or refused",
  );

  const feesEarned = counter(
    "tonado_fees_earned_nano_total",
    "Fees that confirmed withdrawals paid this relayer, in the smallest units of the pool's asset",
    ["pool", "asset"],
  );
  const gasSpent = counter(
    "tonado_gas_spent_nano_total",
    "Nano of the native coin that withdrawals cost the wallet, refunds included",
    ["pool"],
  );

  const verification = histogram("tonado_proof_verification_seconds", "Time to verify a proof", FAST, [
    "holds",
  ]);
  const verifying = gauge("tonado_proofs_verifying", "Proofs that wait or are being verified");

  const poolReady = gauge("tonado_pool_ready", "1 when the pool is served", ["pool"]);
  const poolLeaves = gauge("tonado_pool_leaves", "Leaves of the pool's tree", ["pool"]);
  const lagSeconds = gauge("tonado_indexer_lag_seconds", "Time since the tree last equalled the chain's", [
    "pool",
  ]);
  const lagLt = gauge("tonado_indexer_lag_lt", "Logical time that is seen and not yet applied", ["pool"]);
  const mismatches = gauge(
    "tonado_root_mismatches",
    "Times the rebuilt root was not on chain, since the start",
    ["pool"],
  );

  const balance = gauge("tonado_wallet_balance_native", "Balance of the wallet in whole native units");
  const leads = gauge("tonado_leads", "1 when this replica indexes and signs");
  const dependency = gauge("tonado_dependency_up", "1 ok, 0.5 degraded, 0 down", ["dependency"]);
  const chainTime = histogram(
    "tonado_chain_request_seconds",
    "Time of requests to the chain endpoint, retries included",
    FAST,
    [
      "call",
      "outcome",
    ],
  );
  const cacheFailures = counter(
    "tonado_cache_failures_total",
    "Questions that the shared cache did not answer",
  );

  /** Answers of {@linkcode answered} that the registry was not told of. */
  const untold: { readonly labels: Record<string, string | number>; count: number }[] = [];

  let observed: Observed | undefined;
  async function collect(): Promise<void> {
    for (const answers of untold) {
      if (answers.count > 0) requests.inc(answers.labels, answers.count);
      answers.count = 0;
    }
    const { rss, heapUsed } = Deno.memoryUsage();
    memory.set(rss);
    heap.set(heapUsed);
    if (observed === undefined) return;
    leads.set(observed.leads() ? 1 : 0);
    verifying.set(observed.verifying());
    stranded.set(observed.stranded());
    const native = observed.balance();
    if (native !== undefined) balance.set(native);
    for (const { pool, ready, leaves, lagSeconds: seconds, lagLt: lt, rootMismatches } of observed.pools()) {
      poolReady.set({ pool }, ready ? 1 : 0);
      poolLeaves.set({ pool }, leaves);
      if (seconds !== undefined) lagSeconds.set({ pool }, seconds);
      lagLt.set({ pool }, Number(lt));
      mismatches.set({ pool }, rootMismatches);
    }
    for (const [name, state] of Object.entries(await observed.dependencies())) {
      dependency.set({ dependency: name }, { ok: 1, degraded: 0.5, down: 0 }[state]);
    }
    try {
      for (const [state, count] of Object.entries(await observed.jobs())) jobs.set({ state }, count);
    } catch {
      jobs.reset(); // a store that is down is told of above
    }
  }

  return {
    /** Seconds to answer; `route` is one of the API's, or "other". */
    request(route: string, method: string, status: number, seconds: number): void {
      requests.inc({ route, method, status });
      requestTime.observe({ route }, seconds);
    },
    /** As `request`, for answers that are all alike: their labels are not looked up for each. Takes the seconds. */
    answered(route: string, method: string, status: number): (seconds: number) => void {
      const answers = { labels: { route, method, status }, count: 0 };
      untold.push(answers);
      const time = requestTime.labels(route);
      return (seconds) => {
        answers.count++;
        time.observe(seconds);
      };
    },
    rateLimited: (route: string): void => limited.inc({ route }),
    refused: (code: string): void => refused.inc({ code }),
    accepted: (pool: string): void => accepted.inc({ pool }),
    /** @param seconds since it was taken on; only of confirmed ones */
    settled(pool: string, state: string, seconds?: number): void {
      settled.inc({ pool, state });
      if (seconds !== undefined) confirmation.observe({ pool }, seconds);
    },
    verified: (holds: boolean, seconds: number): void =>
      verification.observe({ holds: String(holds) }, seconds),
    chainCall: (call: string, outcome: "ok" | "failed", seconds: number): void =>
      chainTime.observe({ call, outcome }, seconds),
    cacheFailed: (): void => cacheFailures.inc(),
    eventLoopLag: (seconds: number): void => loopLag.observe(seconds),
    feeEarned: (pool: string, asset: string, nano: bigint): void =>
      feesEarned.inc({ pool, asset }, Number(nano)),
    gasSpent: (pool: string, nano: bigint): void => gasSpent.inc({ pool }, Number(nano)),
    /** Reads these whenever somebody scrapes. */
    observe(what: Observed): void {
      observed = what;
    },
    /** Every metric, for the documentation. */
    described: described as readonly MetricDescription[],
    contentType: registry.contentType,
    /** The exposition text. */
    async text(): Promise<string> {
      await collect();
      return await registry.metrics();
    },
  };
}
