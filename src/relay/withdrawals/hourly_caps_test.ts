import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Problem } from "../../core/errors/problem.ts";
import { createMemoryRateLimitStore } from "../../store/memory/memory_rate_limit_store.ts";
import type { RateLimitStore } from "../../store/rate_limit_store.ts";
import { HourlyCaps } from "./hourly_caps.ts";

const note = (nullifierHash: number, pool = "0:aa") => ({ pool, nullifierHash: BigInt(nullifierHash) });
const allowed = async (caps: HourlyCaps, ...ids: ReturnType<typeof note>[]) =>
  (await Promise.all(ids.map((id) => caps.reserve(id)))).map((taken) => taken.allowed);

Deno.test("of all pools together, and of each pool", async () => {
  const caps = new HourlyCaps(createMemoryRateLimitStore(Date.now), { hourly: 3, hourlyPerPool: 2 });
  deepEqual(await allowed(caps, note(1), note(2), note(3), note(4, "0:bb"), note(5, "0:bb")), [
    true,
    true,
    false,
    true,
    false,
  ]);
  const refused = await caps.reserve(note(6));
  ok(!refused.allowed && refused.retryAfter > 3_500 && refused.retryAfter <= 3_600);
});

Deno.test("a pool at its cap does not use up the cap of all pools", async () => {
  const caps = new HourlyCaps(createMemoryRateLimitStore(Date.now), { hourly: 2, hourlyPerPool: 1 });
  await allowed(caps, note(1));
  for (let i = 2; i < 20; i++) deepEqual(await allowed(caps, note(i)), [false]);
  deepEqual(await allowed(caps, note(50, "0:bb")), [true]);
});

Deno.test("200 equal concurrent requests count once, and not at all if none is accepted", async () => {
  const caps = new HourlyCaps(createMemoryRateLimitStore(Date.now), { hourly: 1, hourlyPerPool: 0 });
  const equals = Array.from({ length: 200 }, () => note(1));
  ok((await allowed(caps, ...equals)).every(Boolean));
  for (const id of equals) await caps.finish(id, false);
  deepEqual(await allowed(caps, note(2)), [true]);
});

Deno.test("an accepted request keeps the count of its equal requests, in whatever order they end", async () => {
  for (const winner of [0, 1, 2]) {
    const caps = new HourlyCaps(createMemoryRateLimitStore(Date.now), { hourly: 1, hourlyPerPool: 0 });
    const equals = [note(1), note(1), note(1)];
    await allowed(caps, ...equals);
    for (const [i, id] of equals.entries()) await caps.finish(id, i === winner);
    deepEqual(await allowed(caps, note(2)), [false], `winner ${winner}`);
  }
});

Deno.test("a refused withdrawal is counted again once there is room", async () => {
  const caps = new HourlyCaps(createMemoryRateLimitStore(Date.now), { hourly: 1, hourlyPerPool: 0 });
  deepEqual(await allowed(caps, note(1), note(2)), [true, false]);
  await caps.finish(note(1), false);
  deepEqual(await allowed(caps, note(2)), [true]);
});

Deno.test("0 means no limit", async () => {
  const caps = new HourlyCaps(createMemoryRateLimitStore(Date.now), { hourly: 0, hourlyPerPool: 0 });
  for (let i = 0; i < 100; i++) deepEqual(await allowed(caps, note(i)), [true]);
});

Deno.test("while the cache is down nothing is allowed, and each request tries again", async () => {
  const memory = createMemoryRateLimitStore(Date.now);
  let down = true;
  const shared: RateLimitStore = {
    ...memory,
    acquire: (...args) => down ? Promise.reject(new Problem("cache_unavailable")) : memory.acquire(...args),
  };
  const caps = new HourlyCaps(shared, { hourly: 1, hourlyPerPool: 1 });
  await rejects(caps.reserve(note(1)), { code: "cache_unavailable" });
  down = false;
  equal((await caps.reserve(note(1))).allowed, true);
});

Deno.test("a count without a response is released, or remains one too high, never too low", async () => {
  for (const released of [true, false]) {
    const memory = createMemoryRateLimitStore(Date.now);
    let down = true;
    const lost = new Problem("cache_unavailable");
    const shared: RateLimitStore = {
      ...memory,
      acquire: async (...args) => {
        const taken = await memory.acquire(...args);
        if (down) throw lost; // the count took effect, but the response was lost
        return taken;
      },
      release: (...args) => down && !released ? Promise.reject(lost) : memory.release(...args),
    };
    const caps = new HourlyCaps(shared, { hourly: 2, hourlyPerPool: 2 });
    await rejects(caps.reserve(note(1)), { code: "cache_unavailable" });
    down = false;
    deepEqual(await allowed(caps, note(2), note(3), note(4)), [true, released, false]);
  }
});

Deno.test("a withdrawal counts for exactly an hour, and a refusal says when the first one ends", async () => {
  let now = 0;
  const caps = new HourlyCaps(createMemoryRateLimitStore(() => now), { hourly: 1, hourlyPerPool: 0 });
  await caps.reserve(note(1));
  deepEqual(await caps.reserve(note(2)), { allowed: false, retryAfter: 3_600 });
  now = 3_599_999;
  deepEqual(await caps.reserve(note(2)), { allowed: false, retryAfter: 1 });
  now = 3_600_000;
  deepEqual(await caps.reserve(note(2)), { allowed: true });
});

Deno.test("a withdrawal that fails after acceptance is released by its token", async () => {
  const caps = new HourlyCaps(createMemoryRateLimitStore(Date.now), { hourly: 1, hourlyPerPool: 1 });
  await caps.reserve(note(1));
  const capToken = caps.tokenOf(note(1))!;
  await caps.finish(note(1), true);
  equal(caps.tokenOf(note(1)), undefined);
  await caps.release({ ...note(1), capToken: undefined } as Parameters<typeof caps.release>[0]);
  deepEqual(await allowed(caps, note(2)), [false]);
  await caps.release({ ...note(1), capToken });
  deepEqual(await allowed(caps, note(2), note(3)), [true, false]);
});
