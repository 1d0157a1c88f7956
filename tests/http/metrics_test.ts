/** The data for an operator's monitoring: `/metrics` and `/readyz`, and that neither identifies a client. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Secret } from "../../src/core/text/secret.ts";
import { handleMetricsRequest } from "../../src/http/routes/metrics_routes.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { isProblem, payload, post, withApi } from "./api_harness.ts";

const TOKEN = "0123456789abcdef";
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

Deno.test("/metrics exists only if a token is configured, and only for requests with that token", async () => {
  const metrics = createMetrics();
  await withApi(async (ask) => isProblem(await ask("/metrics"), "not_found"), { metrics });
  await withApi(async (ask) => {
    for (const init of [{}, bearer("wrong"), bearer(TOKEN + "x"), { headers: { authorization: TOKEN } }]) {
      isProblem(await ask("/metrics", init), "not_found");
    }
    const { status, response } = await ask("/metrics", bearer(TOKEN));
    equal(status, 200);
    match(response.headers.get("content-type")!, /^text\/plain; version=0\.0\.4/);
  }, { metrics, metricsAccess: new Secret(TOKEN) });
});

Deno.test("requests are counted by route, method and status, never by what a client wrote as a path", () => {
  const metrics = createMetrics();
  return withApi(async (ask) => {
    await ask("/status");
    await ask("/withdraw", post(payload));
    await ask("/0xdeadbeef-hunter2?note=hunter2");
    await ask("/status", { method: "HUNTER" });
    const text = await metrics.text();
    for (
      const line of [
        'tonado_http_requests_total{route="/status",method="GET",status="200"} 1',
        'tonado_http_requests_total{route="/withdraw",method="POST",status="503"} 1',
        'tonado_http_requests_total{route="other",method="GET",status="400"} 1',
        'tonado_http_requests_total{route="/status",method="other",status="405"} 1',
        'tonado_http_request_seconds_count{route="/status"} 2',
        'tonado_withdrawals_refused_total{code="not_ready"} 1',
        'tonado_pool_ready{pool="native-10"} 0',
        'tonado_dependency_up{dependency="store"} 1',
        'tonado_withdrawals_live{state="accepted"} 0',
      ]
    ) ok(text.includes(`${line}\n`), `${line} is in:\n${text}`);
    ok(!/hunter/i.test(text));
  }, { metrics });
});

Deno.test("the metrics listener serves nothing else", async () => {
  const metrics = createMetrics("1.2.3");
  const ask = (path: string, method = "GET") =>
    handleMetricsRequest(new Request(`http://x${path}`, { method }), metrics);
  match(await (await ask("/metrics")).text(), /tonado_build_info\{version="1\.2\.3"\} 1/);
  deepEqual(
    [(await ask("/")).status, (await ask("/metrics", "POST")).status, (await ask("/status")).status],
    [
      404,
      404,
      404,
    ],
  );
});
