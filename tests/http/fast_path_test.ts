/**
 * Fast responses, which bypass the router, equal those of their routes: status, headers, body, metrics and
 * refusals.
 */
import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { createApp } from "../../src/http/app.ts";
import { ConcurrencyLimit } from "../../src/http/limits/concurrency_limit.ts";
import { createFastPath } from "../../src/http/responses/fast_path.ts";
import { rootLog } from "../../src/telemetry/log.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";
import { isProblem, payload, pool, post, withApi, withApiAndApp } from "./api_harness.ts";
import { requestApp } from "../support/relayer/request_app.ts";

/** Returns the parts of a response that a client sees, without random values. */
async function seen(response: Response) {
  const { "x-request-id": id, ...headers } = Object.fromEntries(response.headers);
  match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  return { status: response.status, headers, body: await response.text() };
}

Deno.test("the fast path returns the same /status as its route, each time with a new request id", () =>
  withApiAndApp(async (app) => {
    const fast = await requestApp(app, "/status");
    const routed = await requestApp(app, "/status?x=1");
    notEqual(
      fast.headers.get("x-request-id"),
      (await requestApp(app, "/status")).headers.get("x-request-id"),
    );
    deepEqual(await seen(fast), await seen(routed));
    const head = await requestApp(app, "/status", { method: "HEAD" });
    const { status, body } = await seen(head);
    deepEqual([status, body], [200, ""]);
    for (const path of ["//status", "/status/", "/Status", "/status%20", "/%73tatus/"]) {
      equal((await requestApp(app, path)).status, 404, path);
    }
  }));

Deno.test("the fast path returns the route's /tree/root for every form of a pool address, before and after a deposit", async () => {
  await using net = await RelayerHarness.start();
  const { address } = net.pool("native-1");
  await net.untilIndexed("native-1");
  const ask = async (query: string) => await seen(await net.request(`/tree/root?${query}`));
  const same = async () => {
    const routed = await ask(`x=1&pool=${encodeURIComponent(address.toString())}`);
    equal(routed.status, 200);
    for (const testOnly of [true, false]) {
      for (const bounceable of [true, false]) {
        for (const urlSafe of [true, false]) {
          const form = address.toString({ testOnly, bounceable, urlSafe });
          deepEqual(await ask(`pool=${encodeURIComponent(form)}`), routed);
        }
      }
    }
    deepEqual(await ask(`pool=${address.toRawString()}`), routed);
    return routed.body;
  };
  const empty = await same();
  await net.deposit("native-1");
  await net.untilIndexed("native-1");
  notEqual(await same(), empty);
});

Deno.test("the fast path has a response for every form of a pool address, on a host of any length", async () => {
  await using net = await RelayerHarness.start();
  const { address } = net.pool("native-1");
  await net.untilIndexed("native-1");
  const respond = createFastPath(net.relayer, { requestLimit: new ConcurrencyLimit(1) });
  const forms = [address.toRawString()];
  for (const testOnly of [true, false]) {
    for (const bounceable of [true, false]) forms.push(address.toString({ testOnly, bounceable }));
  }
  for (const form of forms.flatMap((form) => [form, encodeURIComponent(form)])) {
    equal(respond(new Request(`http://a/tree/root?pool=${form}`))?.status, 200, form);
  }
  equal(respond(new Request("http://a/status"))?.status, 200);
});

Deno.test("before the indexer is ready, the route of /tree/root refuses", () =>
  withApiAndApp(async (app) => {
    for (const form of [pool.toRawString(), encodeURIComponent(pool.toString())]) {
      const response = await requestApp(app, `/tree/root?pool=${form}`);
      isProblem({ response, status: response.status, body: await response.json() }, "not_ready");
    }
  }));

Deno.test("the fast path refuses secrets, and its responses are counted as all others", () => {
  const metrics = createMetrics();
  return withApi(async (ask) => {
    isProblem(await ask("/status?note=x"), "secret_in_body");
    isProblem(await ask(`/tree/root?pool=${payload.pool}&secret=x`), "secret_in_body");
    for (let i = 0; i < 3; i++) equal((await ask("/status")).status, 200);
    isProblem(await ask("/status", post({})), "method_not_allowed");
    const text = await metrics.text();
    for (
      const line of [
        'tonado_http_requests_total{route="/status",method="GET",status="200"} 3',
        'tonado_http_requests_total{route="/status",method="GET",status="400"} 1',
        'tonado_http_request_seconds_count{route="/status"} 5',
      ]
    ) ok(text.includes(`${line}\n`), `${line} is in:\n${text}`);
  }, { metrics });
});

Deno.test("a full server gives no fast responses, so its routes refuse the requests", async () => {
  await using net = await RelayerHarness.start();
  const requestLimit = new ConcurrencyLimit(1);
  const respond = createFastPath(net.relayer, { requestLimit });
  const ask = () => respond(new Request("https://relayer.example/status"))?.status;
  equal(ask(), 200);
  await requestLimit.run(() => Promise.resolve(equal(ask(), undefined)));
  equal(ask(), 200);
});

Deno.test("fast responses of /tree/root are counted as the route's", async () => {
  await using net = await RelayerHarness.start();
  await net.untilIndexed("native-1");
  const metrics = createMetrics();
  const app = createApp(net.relayer, rootLog(), { metrics });
  const query = `pool=${encodeURIComponent(net.pool("native-1").address.toString())}`;
  for (const path of [query, query, `x=1&${query}`]) {
    equal((await requestApp(app, `/tree/root?${path}`)).status, 200);
  }
  const text = await metrics.text();
  const line = 'tonado_http_requests_total{route="/tree/root",method="GET",status="200"} 3';
  ok(text.includes(`${line}\n`), `${line} is in:\n${text}`);
});
