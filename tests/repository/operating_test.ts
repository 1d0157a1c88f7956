/** The dashboard and alert rules use metrics and labels that the relayer has. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { parser } from "@prometheus-io/lezer-promql";
import { parse } from "yaml";
import { createMetrics } from "../../src/telemetry/metrics.ts";

const read = (name: string) => Deno.readTextFile(new URL(`../../docs/operating/${name}`, import.meta.url));

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly action: string };
}
const rules: Rule[] = parse(await read("alerts.yml")).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);
const dashboard = JSON.parse(await read("grafana.json"));
const queries: [source: string, expr: string, legend: string][] = [
  ...rules.map(({ alert, expr, annotations }): [string, string, string] => [
    alert,
    expr,
    annotations.summary.replace(/\{\{ *\$labels\./g, "{{"),
  ]),
  ...dashboard.panels.flatMap((
    { title, targets = [] }: { title: string; targets: { expr: string; legendFormat: string }[] },
  ) => targets.map(({ expr, legendFormat }) => [title, expr, legendFormat])),
];

/** The labels of each series. Prometheus adds `job` and `instance` to all of them. */
const series = new Map<string, Set<string>>();
for (const { name, type, labels } of createMetrics().descriptions) {
  const names = type === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name];
  for (const each of names) {
    series.set(each, new Set([...labels, "job", "instance", ...each.endsWith("_bucket") ? ["le"] : []]));
  }
}

series.set("up", new Set(["job", "instance"])); // Prometheus' own: 1 for a target that it could scrape

function parsed(expr: string): { broken: boolean; metrics: string[]; labels: string[] } {
  const found = { broken: false, metrics: [] as string[], labels: [] as string[] };
  parser.parse(expr).iterate({
    enter({ name, type, from, to }) {
      if (type.isError) found.broken = true;
      if (name === "Identifier") found.metrics.push(expr.slice(from, to));
      if (name === "LabelName") found.labels.push(expr.slice(from, to));
    },
  });
  return found;
}

Deno.test("the PromQL parser detects an invalid query and finds metrics and labels", () => {
  deepEqual(parsed('sum by (pool) (rate(a_total{code="x"}[5m])) > 1'), {
    broken: false,
    metrics: ["a_total"],
    labels: ["pool", "code"],
  });
  equal(parsed("sum(rate(a_total[5m]").broken, true);
});

for (const [source, expr, legend] of queries) {
  Deno.test(`operating: "${source}" uses existing metrics and labels: ${expr}`, () => {
    const { broken, metrics, labels } = parsed(expr);
    equal(broken, false);
    ok(metrics.length > 0);
    for (const metric of metrics) ok(series.has(metric), `${metric} is a metric`);
    const known = new Set(metrics.flatMap((metric) => [...series.get(metric)!]));
    const shown = [...legend.matchAll(/\{\{(\w+)/g)].map(([, label]) => label).filter((label) =>
      label !== "if"
    );
    for (const label of [...labels, ...shown]) ok(known.has(label), `${label} is a label of ${metrics}`);
  });
}

Deno.test("each metric is on the dashboard", () => {
  const charted = new Set(
    dashboard.panels.flatMap(({ targets = [] }: { targets: { expr: string }[] }) =>
      targets.flatMap(({ expr }) => parsed(expr).metrics)
    ).map((name: string) => name.replace(/_(bucket|sum|count)$/, "")),
  );
  deepEqual(createMetrics().descriptions.map(({ name }) => name).filter((name) => !charted.has(name)), []);
});

Deno.test("a replica that is down has an alert of its own, for the job that Prometheus scrapes", async () => {
  const { scrape_configs } = parse(await read("prometheus.yml"));
  const { expr } = rules.find(({ alert }) => alert === "TonadoReplicaDown")!;
  const [, job] = /^up\{job=~"([^"]+)"\} == 0$/.exec(expr)!;
  for (const { job_name } of scrape_configs) match(job_name, new RegExp(`^${job}$`));
});

Deno.test("each alert has a severity, a summary and an action", () => {
  for (const { alert, labels, annotations } of rules) {
    match(alert, /^Tonado[A-Z]\w+$/);
    ok(["page", "warn"].includes(labels.severity), alert);
    match(annotations.action, /\.$/);
  }
  equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
});
