/**
 * Writes docs/operating/grafana.json: `deno task dashboard [--check]`. A dashboard consists of rows of panels, each
 * with a title, a unit and queries. The other properties are the same for all panels.
 */
import { writeGenerated } from "../shared/generated_files.ts";
import { readArguments } from "../shared/arguments.ts";

type Query = readonly [expr: string, legend: string];
type Panel = readonly [title: string, unit: string, ...queries: Query[]];

const rows: Readonly<Record<string, readonly Panel[]>> = {
  "Is it well?": [
    ["Pools that are served", "short", ["tonado_pool_ready", "{{pool}}"], [
      "tonado_pool_fee_min_missing",
      "{{pool}} has no feeMin",
    ]],
    ["Dependencies (1 ok, 0.5 degraded, 0 down)", "short", ["tonado_dependency_up", "{{dependency}}"]],
    ["Balance of the wallet", "short", ["tonado_wallet_balance_native", "balance"]],
    ["Leads (one replica of all)", "short", ["tonado_leads", "{{instance}}"]],
    ["Version", "short", ["tonado_build_info", "{{version}}"]],
  ],
  "Withdrawals": [
    ["Taken on a minute", "short", [
      "sum by (pool) (rate(tonado_withdrawals_accepted_total[5m])) * 60",
      "{{pool}}",
    ]],
    ["Ended a minute", "short", [
      "sum by (state) (rate(tonado_withdrawals_settled_total[5m])) * 60",
      "{{state}}",
    ]],
    ["Superseded an hour", "short", [
      "sum by (pool) (increase(tonado_withdrawals_superseded_total[1h]))",
      "{{pool}}",
    ]],
    ["Refused a minute, by code", "short", [
      "sum by (code) (rate(tonado_withdrawals_refused_total[5m])) * 60",
      "{{code}}",
    ]],
    ["Queue", "short", ["tonado_withdrawals_live", "{{state}}"], [
      "tonado_withdrawals_orphaned",
      "orphaned",
    ]],
    [
      "Time to confirm",
      "s",
      [
        "histogram_quantile(0.5, sum by (le) (rate(tonado_withdrawal_confirmation_seconds_bucket[15m])))",
        "half",
      ],
      [
        "histogram_quantile(0.95, sum by (le) (rate(tonado_withdrawal_confirmation_seconds_bucket[15m])))",
        "95 of 100",
      ],
    ],
    ["Fees earned an hour, nano", "short", [
      "sum by (pool, asset) (increase(tonado_fees_earned_nano_total[1h]))",
      "{{pool}} {{asset}}",
    ]],
    ["Gas spent an hour, nano", "short", [
      "sum by (pool) (increase(tonado_gas_spent_nano_total[1h]))",
      "{{pool}}",
    ]],
    ["Refunds paid an hour, nano", "short", [
      "sum by (pool) (increase(tonado_refunds_paid_nano_total[1h]))",
      "{{pool}}",
    ]],
    ["Proofs waiting", "short", ["tonado_proofs_verifying", "proofs"]],
    [
      "Time to verify a proof",
      "s",
      [
        "histogram_quantile(0.95, sum by (le, holds) (rate(tonado_proof_verification_seconds_bucket[5m])))",
        "holds: {{holds}}",
      ],
    ],
  ],
  "Indexer and chain": [
    ["Lag", "s", ["tonado_indexer_lag_seconds", "{{pool}}"]],
    ["Lag in logical time", "short", ["tonado_indexer_lag_lt", "{{pool}}"]],
    ["Leaves", "short", ["tonado_pool_leaves", "{{pool}}"]],
    ["Root mismatches", "short", ["tonado_root_mismatches", "{{pool}}"]],
    ["Endpoint: requests a second", "reqps", [
      "sum by (call, outcome) (rate(tonado_chain_request_seconds_count[5m]))",
      "{{call}} {{outcome}}",
    ]],
    ["Endpoint: 95 of 100 requests", "s", [
      "histogram_quantile(0.95, sum by (le, call) (rate(tonado_chain_request_seconds_bucket[5m])))",
      "{{call}}",
    ]],
  ],
  "API and process": [
    ["Requests a second", "reqps", [
      "sum by (route, status) (rate(tonado_http_requests_total[5m]))",
      "{{route}} {{status}}",
    ]],
    ["95 of 100 requests", "s", [
      "histogram_quantile(0.95, sum by (le, route) (rate(tonado_http_request_seconds_bucket[5m])))",
      "{{route}}",
    ]],
    ["Refused for asking too often", "reqps", [
      "sum by (route) (rate(tonado_http_rate_limited_total[5m]))",
      "{{route}}",
    ]],
    ["Cache failures a minute", "short", ["rate(tonado_cache_failures_total[5m]) * 60", "failures"]],
    ["Memory", "bytes", ["process_resident_memory_bytes", "resident"], [
      "process_heap_used_bytes",
      "heap",
    ]],
    ["Event-loop lag, 99 of 100", "s", [
      "histogram_quantile(0.99, sum by (le, instance) (rate(process_event_loop_lag_seconds_bucket[5m])))",
      "{{instance}}",
    ]],
    ["Up since", "dateTimeAsIso", ["process_start_time_seconds * 1000", "started"]],
  ],
};

const COLUMNS = 3;
const [WIDTH, HEIGHT] = [24 / COLUMNS, 7];
const datasource = { type: "prometheus", uid: "${datasource}" };

const check = readArguments(["--check"]).has("--check");
await writeGenerated(
  "dashboard",
  [{ path: "docs/operating/grafana.json", content: JSON.stringify(dashboard(), null, 2) + "\n" }],
  check,
);

function dashboard() {
  let [y, id] = [0, 0];
  const panels = Object.entries(rows).flatMap(([title, row]) => {
    const head = {
      id: ++id,
      type: "row",
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y: y++, w: 24, h: 1 },
    };
    const cells = row.map(([title, unit, ...queries], i) => ({
      id: ++id,
      type: "timeseries",
      title,
      datasource,
      gridPos: { x: (i % COLUMNS) * WIDTH, y: y + Math.floor(i / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(([expr, legendFormat], j) => ({
        refId: String.fromCharCode(65 + j),
        datasource,
        expr,
        legendFormat,
      })),
    }));
    y += Math.ceil(row.length / COLUMNS) * HEIGHT;
    return [head, ...cells];
  });
  return {
    uid: "tonado-relayer",
    title: "tonado relayer",
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    tags: ["tonado"],
    templating: {
      list: [{ name: "datasource", type: "datasource", query: "prometheus", label: "Prometheus" }],
    },
    panels,
  };
}
