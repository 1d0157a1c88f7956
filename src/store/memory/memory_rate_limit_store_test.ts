import { deepEqual, equal } from "node:assert/strict";
import { createMemoryRateLimitStore } from "./memory_rate_limit_store.ts";

const limit = { name: "requests", maxCount: 2, windowSeconds: 10 };
const allowed = { allowed: true } as const;
const retryAfter = (seconds: number) => ({ allowed: false, retryAfter: seconds }) as const;

function storeOnClock() {
  let now = 0;
  const store = createMemoryRateLimitStore(() => now);
  const at = (ms: number) => {
    now = ms;
    return store;
  };
  return at;
}

Deno.test("a bucket refills evenly, and a refusal returns the exact seconds until the next token", async () => {
  const at = storeOnClock();
  deepEqual([await at(0).consume(limit, "a"), await at(0).consume(limit, "a")], [allowed, allowed]);
  deepEqual(await at(0).consume(limit, "a"), retryAfter(5));
  deepEqual(await at(1_500).consume(limit, "a"), retryAfter(4), "3.5 s, rounded up");
  deepEqual(await at(4_999).consume(limit, "a"), retryAfter(1));
  deepEqual(await at(5_000).consume(limit, "a"), allowed);
  deepEqual(await at(5_000).consume(limit, "a"), retryAfter(5));
});

Deno.test("a bucket never exceeds its limit, and a clock that is set back takes no tokens", async () => {
  const at = storeOnClock();
  await at(100_000).consume(limit, "a");
  deepEqual([await at(50_000).consume(limit, "a"), await at(50_000).consume(limit, "a")], [
    allowed,
    retryAfter(5),
  ]);
  for (const expected of [allowed, allowed, retryAfter(5)]) {
    deepEqual(await at(900_000).consume(limit, "a"), expected);
  }
});

Deno.test("keys, names and limits are counted separately", async () => {
  const at = storeOnClock();
  const one = { ...limit, maxCount: 1 };
  await at(0).consume(one, "a");
  for (
    const [other, key] of [
      [one, "b"],
      [{ ...one, name: "others" }, "a"],
      [{ ...one, windowSeconds: 20 }, "a"],
      [limit, "a"],
    ] as const
  ) deepEqual(await at(0).consume(other, key), allowed);
  deepEqual(await at(0).consume(one, "a"), retryAfter(10));
});

Deno.test("a bucket that was used in its window is kept when older ones are forgotten", async () => {
  const at = storeOnClock();
  const one = { ...limit, maxCount: 1 };
  await at(0).consume(one, "a");
  await at(1).consume(one, "b");
  await at(10_000).consume(one, "a"); // moves behind b
  deepEqual(await at(10_001).consume(one, "c"), allowed);
  deepEqual(await at(10_002).consume(one, "a"), retryAfter(10));
});

Deno.test("a key that stays in use does not keep buckets of older keys in memory", async () => {
  const at = storeOnClock();
  await at(0).consume(limit, "a");
  for (let i = 1; i <= 50; i++) await at(i).consume(limit, `once ${i}`);
  await at(5_000).consume(limit, "a");
  equal(at(5_000).bucketCount, 51);
  await at(10_100).consume(limit, "a");
  equal(at(10_100).bucketCount, 1);
});

Deno.test("a token counts for its whole window, and the oldest one determines when there is room", async () => {
  const at = storeOnClock();
  deepEqual([await at(0).acquire(limit, "a", "x"), await at(4_000).acquire(limit, "a", "y")], [
    allowed,
    allowed,
  ]);
  deepEqual(await at(4_000).acquire(limit, "a", "z"), retryAfter(6));
  deepEqual(await at(9_999).acquire(limit, "a", "x"), allowed, "it is held already");
  deepEqual(await at(9_999).acquire(limit, "a", "z"), retryAfter(1));
  deepEqual(await at(10_000).acquire(limit, "a", "z"), allowed);
  deepEqual(await at(10_000).acquire(limit, "a", "x"), retryAfter(4), "its time was over");
});

Deno.test("with a limit below the number of tokens, there is room when enough of them have expired", async () => {
  const at = storeOnClock();
  for (const [i, token] of ["x", "y", "z"].entries()) {
    await at(i * 1_000).acquire({ ...limit, maxCount: 3 }, "a", token);
  }
  deepEqual(await at(2_000).acquire({ ...limit, maxCount: 1 }, "a", "new"), retryAfter(10));
  deepEqual(await at(2_000).acquire(limit, "a", "new"), retryAfter(9));
});

Deno.test("a released token makes room at once, for its own key only", async () => {
  const at = storeOnClock();
  const one = { ...limit, maxCount: 1 };
  await at(0).acquire(one, "a", "x");
  await at(0).release(one, "b", "x");
  deepEqual(await at(0).acquire(one, "a", "y"), retryAfter(10));
  await at(0).release(one, "a", "x");
  deepEqual(await at(0).acquire(one, "a", "y"), allowed);
});
