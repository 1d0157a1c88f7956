/** The rate limits of the API, with the cache that replicas share and without it. */
import { equal, ok } from "node:assert/strict";
import { Problem } from "../../src/core/errors/problem.ts";
import { createClientKey } from "../../src/http/limits/client_address.ts";
import type { RateLimits } from "../../src/http/dependencies.ts";
import { createMemoryRateLimitStore } from "../../src/store/memory/memory_rate_limit_store.ts";
import type { RateLimitStore } from "../../src/store/rate_limit_store.ts";
import { type ApiClient, isProblem, payload, post, withApi } from "./api_harness.ts";

function limits(more: Partial<RateLimits> = {}): RateLimits {
  const own = createMemoryRateLimitStore(Date.now);
  const keyOf = createClientKey(new Uint8Array(32), () => 0);
  return {
    noteChecksPerMinute: 3,
    withdrawalsPerMinute: 2,
    trustedProxies: 0,
    store: own,
    fallbackStore: own,
    clientKey: keyOf,
    ...more,
  };
}
const check = post({ pool: payload.pool, nullifierHash: "0x1" });
const from = (peer: string, forwarded?: string) => (ask: ApiClient, path = "/note/check", init = check) =>
  ask(path, {
    ...init,
    headers: { ...init.headers, ...forwarded && { "x-forwarded-for": forwarded } },
  }, { peer });

Deno.test("a client above its limit gets 429 with Retry-After, and other clients do not", () =>
  withApi(async (ask) => {
    const one = from("203.0.113.1");
    for (let i = 0; i < 3; i++) isProblem(await one(ask), "not_ready");
    const refused = await one(ask);
    isProblem(refused, "rate_limited");
    const seconds = Number(refused.response.headers.get("retry-after"));
    ok(seconds >= 1 && seconds <= 60, String(seconds));
    isProblem(await from("203.0.113.2")(ask), "not_ready");
    isProblem(await one(ask, "/withdraw", post(payload)), "not_ready");
    equal((await one(ask, "/status", {})).status, 200);
  }, { rateLimits: limits() }));

Deno.test("each of /note/check, /withdraw/status and /withdraw is counted by itself", () =>
  withApi(async (ask) => {
    const one = from("203.0.113.1");
    const allowed = async (path: string) => {
      for (let i = 0;; i++) if ((await one(ask, path, post("{}"))).status === 429) return i;
    };
    equal(await allowed("/withdraw"), 2);
    equal(await allowed("/note/check"), 3);
    equal(await allowed("/withdraw/status"), 3);
  }, { rateLimits: limits() }));

for (const [perMinute, allowed] of [[1, 1], [0, 9]]) {
  Deno.test(`a rate of ${perMinute} a minute is ${perMinute === 0 ? "no limit" : "one"}`, () =>
    withApi(async (ask) => {
      const one = from("203.0.113.1");
      for (let i = 0; i < allowed; i++) isProblem(await one(ask), "not_ready");
      isProblem(await one(ask), perMinute === 0 ? "not_ready" : "rate_limited");
    }, { rateLimits: limits({ noteChecksPerMinute: perMinute }) }));
}

Deno.test("an IPv6 client cannot evade the limit of its /64, or forge a header past the trusted proxy", () =>
  withApi(async (ask) => {
    for (let i = 0; i < 3; i++) await from("10.0.0.1", `6.6.6.${i}, 2001:db8:1:2::${i}`)(ask);
    isProblem(await from("10.0.0.1", "9.9.9.9, 2001:db8:1:2:ffff::9")(ask), "rate_limited");
    isProblem(await from("10.0.0.1", "2001:db8:1:3::1")(ask), "not_ready");
  }, { rateLimits: limits({ trustedProxies: 1 }) }));

Deno.test("without trusted proxies a forged header does not start a new count", () =>
  withApi(async (ask) => {
    for (let i = 0; i < 3; i++) await from("203.0.113.1", `198.51.100.${i}`)(ask);
    isProblem(await from("203.0.113.1", "198.51.100.99")(ask), "rate_limited");
  }, { rateLimits: limits() }));

Deno.test("while the shared cache is down each replica counts for itself", () => {
  const down = () => Promise.reject(new Problem("cache_unavailable"));
  const shared: RateLimitStore = {
    consume: down,
    acquire: down,
    release: down,
    ping: down,
    close: () => Promise.resolve(),
  };
  return withApi(async (ask) => {
    const one = from("203.0.113.1");
    for (let i = 0; i < 3; i++) isProblem(await one(ask), "not_ready");
    isProblem(await one(ask), "rate_limited");
  }, { rateLimits: limits({ store: shared }) });
});
