/** Every metric as data. The operator's guide is generated from it. */

const FAST_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const BATCH_SIZE_BUCKETS = [1, 2, 4, 8, 12, 16];
const CONFIRMATION_BUCKETS_SECONDS = [5, 10, 15, 20, 30, 45, 60, 120, 300, 900, 3_600];

export interface MetricDescription {
  readonly type: "counter" | "gauge" | "histogram";
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
}

const counter = (name: string, help: string, labels: readonly string[] = []) =>
  ({ type: "counter", name, help, labels }) as const;
const gauge = (name: string, help: string, labels: readonly string[] = []) =>
  ({ type: "gauge", name, help, labels }) as const;
const histogram = (
  name: string,
  help: string,
  labels: readonly string[] = [],
  buckets = FAST_BUCKETS_SECONDS,
) => ({ type: "histogram", name, help, labels, buckets }) as const;

export const metricDefinitions = {
  buildInfo: gauge("tonado_build_info", "Version of the program; always 1", ["version"]),
  startTime: gauge("process_start_time_seconds", "Start of the process, Unix seconds"),
  residentMemory: gauge("process_resident_memory_bytes", "Resident memory of the process"),
  heapUsed: gauge("process_heap_used_bytes", "JavaScript heap in use by the main thread"),
  eventLoopLag: histogram(
    "process_event_loop_lag_seconds",
    "How late a timer of the main thread fires, measured twice a second",
  ),

  requests: counter("tonado_http_requests_total", "Requests answered", ["route", "method", "status"]),
  requestTime: histogram("tonado_http_request_seconds", "Time to answer a request", ["route"]),
  rateLimited: counter("tonado_http_rate_limited_total", "Requests rejected by a rate limit", ["route"]),

  refusals: counter("tonado_withdrawals_refused_total", "Withdrawals rejected, by problem code", ["code"]),
  acceptances: counter("tonado_withdrawals_accepted_total", "Withdrawals accepted", ["pool"]),
  endedJobs: counter("tonado_withdrawals_ended_total", "Withdrawals that ended, by state", [
    "pool",
    "state",
  ]),
  superseded: counter(
    "tonado_withdrawals_superseded_total",
    "Withdrawals whose note was paid on other terms, or by another wallet after the withdrawal had failed or expired; sent gas is lost",
    ["pool"],
  ),
  confirmationTime: histogram(
    "tonado_withdrawal_confirmation_seconds",
    "Time from accepting a withdrawal to the pool's log of it",
    ["pool"],
    CONFIRMATION_BUCKETS_SECONDS,
  ),
  liveJobs: gauge("tonado_withdrawals_live", "Withdrawals that have not ended, by state", ["state"]),
  orphanedJobs: gauge(
    "tonado_withdrawals_orphaned",
    "Live withdrawals of pools that are not served: not in the registry, or refused",
  ),

  feesEarned: counter(
    "tonado_fees_earned_nano_total",
    "Fees that pools paid this relayer, in the smallest units of the pool's asset",
    ["pool", "asset"],
  ),
  gasSpent: counter(
    "tonado_gas_spent_nano_total",
    "Nano of the native coin that withdrawals and top-ups cost the wallet, without refunds",
    ["pool"],
  ),
  refundsPaid: counter(
    "tonado_refunds_paid_nano_total",
    "Nano of the native coin that the wallet gave to recipients as refunds",
    ["pool"],
  ),

  verificationTime: histogram("tonado_proof_verification_seconds", "Time to verify a proof", ["holds"]),
  pendingProofs: gauge("tonado_proofs_verifying", "Proofs that wait or are being verified"),

  poolReady: gauge("tonado_pool_ready", "1 when the pool is served", ["pool"]),
  poolLacksMinFee: gauge(
    "tonado_pool_fee_min_missing",
    "1 when a jetton pool is not served because its registry entry sets no feeMin",
    ["pool"],
  ),
  poolLeaves: gauge("tonado_pool_leaves", "Leaves of the pool's tree", ["pool"]),
  poolQueue: gauge("tonado_pool_queued_deposits", "Deposits that wait in a version 2 pool", ["pool"]),
  oldestWait: gauge(
    "tonado_pool_oldest_wait_seconds",
    "Time since the oldest waiting deposit of a version 2 pool arrived; 0 when none waits",
    ["pool"],
  ),
  settlementSize: histogram(
    "tonado_pool_settlement_deposits",
    "Deposits in each settlement of a version 2 pool, by any sender",
    ["pool"],
    BATCH_SIZE_BUCKETS,
  ),
  settlementEarnings: counter(
    "tonado_settlement_earnings_nano_total",
    "Nano that this relayer's settlements earned after the pool's fees, without losses and transfer fees",
    ["pool"],
  ),
  withdrawalBatchSize: histogram(
    "tonado_pool_withdrawal_batch_size",
    "Withdrawals in each message of withdrawals to a version 2 pool, by any sender",
    ["pool"],
    BATCH_SIZE_BUCKETS,
  ),
  poolOpenClaims: gauge(
    "tonado_pool_open_claims",
    "Payouts that the jetton pool's wallet refused and that can be retried; from 255 on, the pool refuses withdrawals",
    ["pool"],
  ),
  lagSeconds: gauge("tonado_indexer_lag_seconds", "Time since the tree last equalled the chain's", ["pool"]),
  lagLt: gauge("tonado_indexer_lag_lt", "Logical time that is seen and not yet applied", ["pool"]),
  rootMismatches: gauge(
    "tonado_root_mismatches",
    "Times the rebuilt root was not on chain, since the start",
    ["pool"],
  ),

  poolSurplus: gauge(
    "tonado_pool_surplus_native",
    "What the pool holds beyond its obligations, in GRAM; it pays for storage",
    ["pool"],
  ),
  poolSurplusEnd: gauge(
    "tonado_pool_surplus_end_seconds",
    "Unix time at which storage fees will have consumed the surplus, at the pool's largest size",
    ["pool"],
  ),

  poolStorageDebt: gauge(
    "tonado_pool_storage_debt_native",
    "Storage that is due and that the pool cannot pay, in GRAM; a frozen pool counts as 0.1",
    ["pool"],
  ),

  walletBalance: gauge("tonado_wallet_balance_native", "Balance of the wallet in GRAM"),
  isLeader: gauge("tonado_leads", "1 when this replica indexes and signs"),
  dependency: gauge("tonado_dependency_up", "1 ok, 0.5 degraded, 0 down", ["dependency"]),
  chainRequestTime: histogram(
    "tonado_chain_request_seconds",
    "Time of requests to the chain endpoint, retries included",
    ["call", "outcome"],
  ),
  cacheFailures: counter("tonado_cache_failures_total", "Requests that the shared cache did not answer"),
} as const;
