/** The requirements on every {@link RateLimitStore}, tested in memory and with a real Redis server. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { freshRedisNamespace, redisServer } from "../../../testkit/servers/services.ts";
import { rootLog } from "../../../src/telemetry/log.ts";
import { createMemoryRateLimitStore } from "../../../src/store/memory/memory_rate_limit_store.ts";
import { connectRedisRateLimitStore } from "../../../src/store/redis/redis_rate_limit_store.ts";
import type { RateLimit, RateLimitStore } from "../../../src/store/rate_limit_store.ts";

const ignore = !await redisServer();

/** Opens two replicas of one relayer and a third of another. Removes all keys afterwards. */
async function withRedis(
  act: (replicas: readonly RateLimitStore[], stranger: RateLimitStore) => Promise<void>,
) {
  await using place = await freshRedisNamespace();
  const open = (name: string) =>
    connectRedisRateLimitStore(place.url, { prefix: place.prefix + name, log: rootLog() });
  const opened = [await open("ours"), await open("ours"), await open("stranger")];
  try {
    await act(opened.slice(0, 2), opened[2]);
  } finally {
    for (const shared of opened) await shared.close();
  }
}

type Act = (shared: RateLimitStore) => Promise<void>;
const adapters: [name: string, ignore: boolean, withOne: (act: Act) => Promise<void>][] = [
  ["memory", false, (act) => act(createMemoryRateLimitStore(Date.now))],
  ["redis", ignore, (act) => withRedis(([shared]) => act(shared))],
];
/** The maximum difference between the clocks of the server and this process. */
const CLOCKS_MS = 20;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const limit = (maxCount: number, more: Partial<RateLimit> = {}): RateLimit => ({
  name: "test",
  maxCount,
  windowSeconds: 60,
  ...more,
});

for (const [name, ignore, withOne] of adapters) {
  const claim = (what: string, act: Act) =>
    Deno.test({ name: `shared (${name}): ${what}`, ignore, fn: () => withOne(act) });

  claim("allows up to the limit, then refuses with the time to wait", async (shared) => {
    for (let i = 0; i < 3; i++) deepEqual(await shared.consume(limit(3), "a"), { allowed: true });
    const refused = await shared.consume(limit(3), "a");
    ok(!refused.allowed && refused.retryAfter >= 1 && refused.retryAfter <= 60, JSON.stringify(refused));
  });

  claim("counts each key and each limit separately", async (shared) => {
    await shared.consume(limit(1), "a");
    equal((await shared.consume(limit(1), "b")).allowed, true);
    equal((await shared.consume(limit(1, { name: "other" }), "a")).allowed, true);
    equal((await shared.consume(limit(1), "a")).allowed, false);
  });

  claim("of many concurrent calls exactly as many are allowed as the limit says", async (shared) => {
    const taken = await Promise.all(Array.from({ length: 200 }, () => shared.consume(limit(7), "a")));
    equal(taken.filter(({ allowed }) => allowed).length, 7);
  });

  const held = async (shared: RateLimitStore, bound: RateLimit, ...tokens: string[]) => {
    const taken = [];
    for (const token of tokens) taken.push((await shared.acquire(bound, "a", token)).allowed);
    return taken;
  };

  claim("holds up to the limit of tokens, then refuses with the time to wait", async (shared) => {
    deepEqual(await held(shared, limit(2), "x", "y", "z"), [true, true, false]);
    const refused = await shared.acquire(limit(2), "a", "z");
    ok(!refused.allowed && refused.retryAfter >= 1 && refused.retryAfter <= 60, JSON.stringify(refused));
    equal((await shared.acquire(limit(2), "b", "z")).allowed, true, "each key alone");
  });

  claim("of many concurrent tokens exactly as many are held as the limit says", async (shared) => {
    const taken = await Promise.all(
      Array.from({ length: 200 }, (_, i) => shared.acquire(limit(7), "a", String(i))),
    );
    equal(taken.filter(({ allowed }) => allowed).length, 7);
  });

  claim("a token counts once, however often its call is repeated", async (shared) => {
    deepEqual(await held(shared, limit(2), "x", "x", "x", "y", "x", "z"), [
      true,
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  claim("a released place can be used again, however many refusals came in between", async (shared) => {
    await held(shared, limit(1), "x", ...Array.from({ length: 20 }, (_, i) => `refused ${i}`));
    await shared.release(limit(1), "a", "x");
    deepEqual(await held(shared, limit(1), "y", "z"), [true, false]);
  });

  claim("releasing a token twice, or one that was never held, changes no other token", async (shared) => {
    await held(shared, limit(1), "x");
    for (const token of ["never held", "x", "x", "x"]) await shared.release(limit(1), "a", token);
    deepEqual(await held(shared, limit(1), "y", "z"), [true, false]);
    await shared.release(limit(1), "a", "x");
    deepEqual(await held(shared, limit(1), "z"), [false]);
  });

  claim("releasing an expired token changes no later token", async (shared) => {
    const short = limit(1, { windowSeconds: 1 });
    await held(shared, short, "x");
    await new Promise((resolve) => setTimeout(resolve, 1_200)); // the server's own clock decides
    await shared.release(short, "a", "x");
    const next = limit(1);
    deepEqual(await held(shared, next, "y"), [true]);
    await shared.release(next, "a", "x");
    deepEqual(await held(shared, next, "z"), [false]);
  });

  claim("counts expire with their window", async (shared) => {
    await shared.consume(limit(1, { windowSeconds: 1 }), "a");
    equal((await shared.consume(limit(1, { windowSeconds: 1 }), "a")).allowed, false);
    await new Promise((resolve) => setTimeout(resolve, 1_200)); // the server's own clock decides
    equal((await shared.consume(limit(1, { windowSeconds: 1 }), "a")).allowed, true);
  });

  claim(
    "no burst across the edge of a window exceeds the limit, apart from the tokens refilled meanwhile",
    async (shared) => {
      const bound = limit(10, { windowSeconds: 2 });
      await shared.consume(bound, "a");
      await pause(1_800);
      const began = performance.now();
      let allowed = 0;
      for (const wait of [0, 300]) {
        await pause(wait);
        for (let i = 0; i < 10; i++) if ((await shared.consume(bound, "a")).allowed) allowed++;
      }
      const filled = Math.ceil((performance.now() - began) / 2_000 * 10);
      ok(allowed <= 10 + filled, `${allowed} at once`);
    },
  );

  claim(
    "no window of time holds more tokens than the limit, including at its edges",
    async (shared) => {
      const bound = limit(10, { windowSeconds: 2 });
      /** The moments between which each token was counted. */
      const counted: { from: number; to: number }[] = [];
      for (const [wait, tokens] of [[0, 1], [1_800, 9], [300, 10], [1_000, 10]]) {
        await pause(wait);
        for (let i = 0; i < tokens; i++) {
          const from = performance.now();
          const { allowed } = await shared.acquire(bound, "a", crypto.randomUUID());
          if (allowed) counted.push({ from, to: performance.now() });
        }
      }
      ok(counted.length > 10, "what is over makes room, one by one");
      for (const [i, { to }] of counted.entries()) {
        const earlier = counted[i - 10];
        if (earlier) ok(to - earlier.from > 2_000 - CLOCKS_MS, `11 within ${to - earlier.from} ms`);
      }
    },
  );

  claim("a refusal returns when there is room", async (shared) => {
    const bound = limit(2, { windowSeconds: 40 });
    for (
      const act of [
        (key: string) => shared.consume(bound, key),
        (key: string) => shared.acquire(bound, key, crypto.randomUUID()),
      ]
    ) {
      for (let i = 0; i < 2; i++) equal((await act("b")).allowed, true);
    }
    const [taken, held] = [await shared.consume(bound, "b"), await shared.acquire(bound, "b", "x")];
    ok(!taken.allowed && taken.retryAfter <= 20 && taken.retryAfter > 0, "one of two fills in half the time");
    ok(!held.allowed && held.retryAfter <= 40 && held.retryAfter > 20, "a token counts for all of it");
  });

  claim("responds to a ping", (shared) => shared.ping());
}

Deno.test({
  name: "shared (redis): replicas count together, relayers of another prefix apart",
  ignore,
  fn: () =>
    withRedis(async ([one, two], stranger) => {
      equal((await one.consume(limit(1), "a")).allowed, true);
      equal((await two.consume(limit(1), "a")).allowed, false);
      equal((await stranger.consume(limit(1), "a")).allowed, true);
      equal((await one.acquire(limit(1), "a", "x")).allowed, true);
      equal((await two.acquire(limit(1), "a", "y")).allowed, false);
      equal((await stranger.acquire(limit(1), "a", "z")).allowed, true);
    }),
});

Deno.test("redis: a server that is down fails fast with cache_unavailable, and does not prevent the start", async () => {
  using nobody = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = nobody.addr;
  nobody.close();
  const shared = await connectRedisRateLimitStore(`redis://127.0.0.1:${port}`, {
    prefix: "x",
    log: rootLog(),
  });
  await rejects(shared.consume(limit(1), "a"), { code: "cache_unavailable" });
  await rejects(shared.acquire(limit(1), "a", "x"), { code: "cache_unavailable" });
  await rejects(shared.release(limit(1), "a", "x"), { code: "cache_unavailable" });
  await rejects(shared.ping(), { code: "cache_unavailable" });
  await shared.close();
});

Deno.test("redis: a server that accepts connections and never responds fails fast", async () => {
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const held: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of silent) held.push(connection);
  })();
  const shared = await connectRedisRateLimitStore(`redis://127.0.0.1:${silent.addr.port}`, {
    prefix: "x",
    log: rootLog(),
  });
  await rejects(shared.consume(limit(1), "a"), { code: "cache_unavailable" });
  silent.close();
  await accepting;
  for (const connection of held) connection.close();
  await shared.close();
});
