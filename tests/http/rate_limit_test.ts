/** Rate limits of the API, over the cache that replicas share and without it. */
import { equal, ok } from "node:assert/strict";
import { Problem } from "../../src/core/errors.ts";
import { clientKeys } from "../../src/http/client_address.ts";
import type { RateLimits } from "../../src/http/deps.ts";
import { memoryShared } from "../../src/store/memory/memory_shared.ts";
import type { Shared } from "../../src/store/shared.ts";
import { type Ask, isProblem, payload, post, withApp } from "./api_harness.ts";

function limits(more: Partial<RateLimits> = {}): RateLimits {
  const own = memoryShared();
  const keyOf = clientKeys(new Uint8Array(32), () => 0);
  return { noteCheck: 3, withdraw: 2, trustProxy: 0, shared: own, own, keyOf, ...more };
}
const check = post({ pool: payload.pool, nullifierHash: "0x1" });
const from = (peer: string, forwarded?: string) => (ask: Ask, path = "/note/check", init = check) =>
  ask(path, {
    ...init,
    headers: { ...init.headers, ...forwarded && { "x-forwarded-for": forwarded } },
  }, { peer });

Deno.test("http: who asks too often gets 429 with Retry-After, and nobody else", () =>
  withApp(async (ask) => {
    const one = from("203.0.113.1");
    for (let i = 0; i < 3; i++) isProblem(await one(ask), "not_ready");
    const refused = await one(ask);
    isProblem(refused, "rate_limited");
    const seconds = Number(refused.response.headers.get("retry-after"));
    ok(seconds >= 1 && seconds <= 60, String(seconds));
    isProblem(await from("203.0.113.2")(ask), "not_ready");
    isProblem(await one(ask, "/withdraw", post(payload)), "not_ready");
    equal((await one(ask, "/status", {})).status, 200);
  }, { limits: limits() }));

Deno.test("http: each of /note/check, /withdraw/status and /withdraw is counted by itself", () =>
  withApp(async (ask) => {
    const one = from("203.0.113.1");
    const allowed = async (path: string) => {
      for (let i = 0;; i++) if ((await one(ask, path, post("{}"))).status === 429) return i;
    };
    equal(await allowed("/withdraw"), 2);
    equal(await allowed("/note/check"), 3);
    equal(await allowed("/withdraw/status"), 3);
  }, { limits: limits() }));

Deno.test("http: an IPv6 client cannot leave its /64 behind, nor forge a header past the trusted proxy", () =>
  withApp(async (ask) => {
    for (let i = 0; i < 3; i++) await from("10.0.0.1", `6.6.6.${i}, 2001:db8:1:2::${i}`)(ask);
    isProblem(await from("10.0.0.1", "9.9.9.9, 2001:db8:1:2:ffff::9")(ask), "rate_limited");
    isProblem(await from("10.0.0.1", "2001:db8:1:3::1")(ask), "not_ready");
  }, { limits: limits({ trustProxy: 1 }) }));

Deno.test("http: without trust in proxies a forged header opens no fresh count", () =>
  withApp(async (ask) => {
    for (let i = 0; i < 3; i++) await from("203.0.113.1", `198.51.100.${i}`)(ask);
    isProblem(await from("203.0.113.1", "198.51.100.99")(ask), "rate_limited");
  }, { limits: limits() }));

Deno.test("http: while the shared cache is down each replica counts for itself", () => {
  const down = () => Promise.reject(new Problem("cache_unavailable"));
  const shared: Shared = {
    take: down,
    hold: down,
    release: down,
    ping: down,
    close: () => Promise.resolve(),
  };
  return withApp(async (ask) => {
    const one = from("203.0.113.1");
    for (let i = 0; i < 3; i++) isProblem(await one(ask), "not_ready");
    isProblem(await one(ask), "rate_limited");
  }, { limits: limits({ shared }) });
});
