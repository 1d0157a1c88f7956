import { deepEqual, equal, ok } from "node:assert/strict";
import { createMetrics, type MetricsSource } from "./metrics.ts";

const pool = {
  pool: "native-10",
  ready: true,
  lacksMinFee: false,
  leafCount: 7,
  openClaims: 2,
  lagLt: 11n,
  rootMismatches: 3,
};
const source = (change: Partial<MetricsSource> = {}): MetricsSource => ({
  balance: () => 1.5,
  liveJobs: () => Promise.resolve({ accepted: 4, broadcast: 5 }),
  orphanedJobCount: () => 6,
  isLeader: () => true,
  pendingProofCount: () => 8,
  pools: () => [pool],
  dependencies: () => Promise.resolve({ chain: "ok", store: "degraded", cache: "down" }),
  ...change,
});

async function scrape(metrics: ReturnType<typeof createMetrics>): Promise<Record<string, number>> {
  const lines = (await metrics.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(lines.map((line) => {
    const space = line.lastIndexOf(" ");
    return [line.slice(0, space), Number(line.slice(space + 1))];
  }));
}

/** Asserts that a scrape has these samples; undefined stands for none. */
function holds(found: Record<string, number>, expected: Readonly<Record<string, number | undefined>>): void {
  deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, found[name]])), expected);
}

Deno.test("a scrape reads the state of the relayer and of each pool", async () => {
  const metrics = createMetrics("1.2.3");
  metrics.setSource(source({
    pools: () => [
      {
        ...pool,
        queued: 9,
        oldestWaitSeconds: 12.5,
        lagSeconds: 10,
        surplus: 0.25,
        surplusUntilSeconds: 1_900_000_000,
        storageDebt: 0.125,
      },
      { ...pool, pool: "jetton-5", ready: false, lacksMinFee: true },
    ],
  }));
  const found = await scrape(metrics);
  holds(found, {
    'tonado_build_info{version="1.2.3"}': 1,
    tonado_leads: 1,
    tonado_proofs_verifying: 8,
    tonado_withdrawals_orphaned: 6,
    tonado_wallet_balance_native: 1.5,
    'tonado_withdrawals_live{state="accepted"}': 4,
    'tonado_withdrawals_live{state="broadcast"}': 5,
    'tonado_dependency_up{dependency="chain"}': 1,
    'tonado_dependency_up{dependency="store"}': 0.5,
    'tonado_dependency_up{dependency="cache"}': 0,
    'tonado_pool_ready{pool="native-10"}': 1,
    'tonado_pool_ready{pool="jetton-5"}': 0,
    'tonado_pool_fee_min_missing{pool="native-10"}': 0,
    'tonado_pool_fee_min_missing{pool="jetton-5"}': 1,
    'tonado_pool_leaves{pool="native-10"}': 7,
    'tonado_pool_open_claims{pool="native-10"}': 2,
    'tonado_indexer_lag_lt{pool="native-10"}': 11,
    'tonado_root_mismatches{pool="native-10"}': 3,
    'tonado_pool_queued_deposits{pool="native-10"}': 9,
    'tonado_pool_oldest_wait_seconds{pool="native-10"}': 12.5,
    'tonado_indexer_lag_seconds{pool="native-10"}': 10,
    'tonado_pool_surplus_native{pool="native-10"}': 0.25,
    'tonado_pool_surplus_end_seconds{pool="native-10"}': 1_900_000_000,
    'tonado_pool_storage_debt_native{pool="native-10"}': 0.125,
    'tonado_pool_queued_deposits{pool="jetton-5"}': undefined,
    'tonado_pool_oldest_wait_seconds{pool="jetton-5"}': undefined,
    'tonado_indexer_lag_seconds{pool="jetton-5"}': undefined,
    'tonado_pool_surplus_native{pool="jetton-5"}': undefined,
    'tonado_pool_surplus_end_seconds{pool="jetton-5"}': undefined,
    'tonado_pool_storage_debt_native{pool="jetton-5"}': undefined,
  });
  const started = found.process_start_time_seconds;
  ok(Number.isInteger(started) && Math.abs(started - performance.timeOrigin / 1000) <= 1);
  ok(found.process_resident_memory_bytes > 1_000_000);
  ok(found.process_heap_used_bytes > 1_000_000);
});

Deno.test("an unknown balance has no sample, and a store failure omits only the live withdrawals", async () => {
  const metrics = createMetrics();
  metrics.setSource(source({ balance: () => undefined, isLeader: () => false }));
  holds(await scrape(metrics), {
    tonado_wallet_balance_native: undefined,
    tonado_leads: 0,
    'tonado_withdrawals_live{state="accepted"}': 4,
  });
  metrics.setSource(source());
  holds(await scrape(metrics), { tonado_wallet_balance_native: 1.5 });
  metrics.setSource(source({ balance: () => undefined }));
  holds(await scrape(metrics), { tonado_wallet_balance_native: undefined });
  metrics.setSource(source({ liveJobs: () => Promise.reject(new Error("down")) }));
  holds(await scrape(metrics), {
    tonado_wallet_balance_native: 1.5,
    tonado_leads: 1,
    'tonado_withdrawals_live{state="accepted"}': undefined,
    'tonado_pool_ready{pool="native-10"}': 1,
  });
});

Deno.test("earnings, gas and refunds add up by pool, and what a pool returned beyond the gas is not spent gas", async () => {
  const metrics = createMetrics();
  metrics.recordEntry("native-10", "TON", { fee: 30n, gas: 4n, refund: 1n });
  metrics.recordEntry("native-10", "TON", { fee: 12n, gas: -9n, refund: 2n });
  metrics.recordEntry("native-10", "TON", { fee: 0n, gas: 1n, refund: 0n });
  holds(await scrape(metrics), {
    'tonado_fees_earned_nano_total{pool="native-10",asset="TON"}': 42,
    'tonado_gas_spent_nano_total{pool="native-10"}': 5,
    'tonado_refunds_paid_nano_total{pool="native-10"}': 3,
  });
});

Deno.test("earnings of settlements add up, and the sizes of batches are counted exactly", async () => {
  const metrics = createMetrics();
  metrics.recordSettlementEarnings("p", 30n);
  metrics.recordSettlementEarnings("p", 12n);
  for (const deposits of [1, 12, 16]) metrics.recordPoolSettlement("p", deposits);
  for (const size of [1, 8]) metrics.recordWithdrawalBatch("p", size);
  holds(await scrape(metrics), {
    'tonado_settlement_earnings_nano_total{pool="p"}': 42,
    'tonado_pool_settlement_deposits_count{pool="p"}': 3,
    'tonado_pool_settlement_deposits_sum{pool="p"}': 29,
    'tonado_pool_settlement_deposits_bucket{le="1",pool="p"}': 1,
    'tonado_pool_settlement_deposits_bucket{le="12",pool="p"}': 2,
    'tonado_pool_settlement_deposits_bucket{le="16",pool="p"}': 3,
    'tonado_pool_withdrawal_batch_size_bucket{le="4",pool="p"}': 1,
    'tonado_pool_withdrawal_batch_size_bucket{le="8",pool="p"}': 2,
  });
});

Deno.test("each withdrawal is counted once by its result, and its time only if it was confirmed", async () => {
  const metrics = createMetrics();
  metrics.recordAcceptance("p");
  metrics.recordRefusal("fee_below_floor");
  metrics.recordJobEnd("p", "confirmed", 12);
  metrics.recordJobEnd("p", "failed");
  metrics.recordSuperseded("p");
  metrics.recordRateLimited("/withdraw");
  metrics.recordCacheFailure();
  metrics.recordVerification(false, 0.2);
  metrics.recordChainCall("runGetMethod", "failed", 3);
  metrics.recordEventLoopLag(0.3);
  holds(await scrape(metrics), {
    'tonado_withdrawals_accepted_total{pool="p"}': 1,
    'tonado_withdrawals_refused_total{code="fee_below_floor"}': 1,
    'tonado_withdrawals_ended_total{pool="p",state="confirmed"}': 1,
    'tonado_withdrawals_ended_total{pool="p",state="failed"}': 1,
    'tonado_withdrawals_superseded_total{pool="p"}': 1,
    'tonado_withdrawal_confirmation_seconds_count{pool="p"}': 1,
    'tonado_withdrawal_confirmation_seconds_sum{pool="p"}': 12,
    'tonado_http_rate_limited_total{route="/withdraw"}': 1,
    tonado_cache_failures_total: 1,
    'tonado_proof_verification_seconds_sum{holds="false"}': 0.2,
    'tonado_chain_request_seconds_sum{call="runGetMethod",outcome="failed"}': 3,
    process_event_loop_lag_seconds_sum: 0.3,
  });
});

Deno.test("requests of a recorder are counted once, however often they are scraped", async () => {
  const metrics = createMetrics();
  const record = metrics.createRequestRecorder("/status", "GET", 200);
  const unused = 'tonado_http_requests_total{route="/other",method="GET",status="200"}';
  metrics.createRequestRecorder("/other", "GET", 200);
  const [requests, seconds] = [
    'tonado_http_requests_total{route="/status",method="GET",status="200"}',
    'tonado_http_request_seconds_sum{route="/status"}',
  ];
  record(0.25);
  record(0.5);
  holds(await scrape(metrics), { [requests]: 2, [seconds]: 0.75, [unused]: undefined });
  metrics.recordRequest("/status", "GET", 200, 0.25);
  holds(await scrape(metrics), { [requests]: 3, [seconds]: 1 });
});

/** Dashboards and alerts of operators refer to these bounds. */
Deno.test("times are counted up to milliseconds for answers, and up to an hour for withdrawals", async () => {
  const metrics = createMetrics();
  metrics.recordRequest("/status", "GET", 200, 0);
  metrics.recordJobEnd("p", "confirmed", 0);
  const found = await scrape(metrics);
  const bounds = (name: string) =>
    Object.keys(found).flatMap((sample) =>
      sample.startsWith(`${name}_bucket`) ? [/le="([^"]*)"/.exec(sample)![1]] : []
    ).join(" ");
  equal(bounds("tonado_http_request_seconds"), "0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 30 +Inf");
  equal(bounds("tonado_withdrawal_confirmation_seconds"), "5 10 15 20 30 45 60 120 300 900 3600 +Inf");
});
