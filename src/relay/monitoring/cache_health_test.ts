import { deepEqual, equal } from "node:assert/strict";
import { CacheHealth } from "./cache_health.ts";
import type { Clock } from "../../core/time/clock.ts";

const never = new AbortController().signal;

function watched(ping: () => Promise<void>, signal = never) {
  let now = 0;
  let pings = 0;
  const sleeping: { until: number; wake: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        sleeping.push({ until: now + ms, wake: resolve });
        signal?.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
  const cache = {
    ping() {
      pings++;
      return ping();
    },
  };
  const watch = new CacheHealth(cache, clock, signal);
  return {
    states: async (
      count: number,
    ) => [...new Set((await Promise.all(Array.from({ length: count }, () => watch.check()))).map(stateOf))],
    pass(ms: number) {
      now += ms;
      for (const { until, wake } of sleeping) if (until <= now) wake();
    },
    get pings() {
      return pings;
    },
  };
}
const stateOf = ({ state }: { state: string }) => state;

for (
  const [how, ping, state] of [
    ["well", () => Promise.resolve(), "ok"],
    ["down", () => Promise.reject(new Error("down")), "degraded"],
  ] as const
) {
  Deno.test(`a cache that is ${how} is pinged at most once a second`, async () => {
    const cache = watched(ping);
    for (let i = 0; i < 10; i++) {
      deepEqual(await cache.states(200), [state]);
      cache.pass(100);
    }
    equal(cache.pings, 1);
    cache.pass(1);
    deepEqual(await cache.states(200), [state]);
    equal(cache.pings, 2);
  });
}

Deno.test("a cache that hangs is reported as degraded within two seconds, and gets one ping at a time", async () => {
  const cache = watched(() => new Promise(() => {}));
  const answers = cache.states(200);
  cache.pass(1_999);
  const late = cache.states(200);
  cache.pass(1);
  deepEqual([await answers, await late], [["degraded"], ["degraded"]]);
  equal(cache.pings, 1);
});

Deno.test("a relayer that shuts down does not wait for its cache", async () => {
  const end = new AbortController();
  const cache = watched(() => new Promise(() => {}), end.signal);
  const answers = cache.states(3);
  end.abort();
  deepEqual(await answers, ["degraded"]);
});
