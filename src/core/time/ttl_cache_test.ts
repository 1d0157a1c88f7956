import { deepEqual, equal, rejects } from "node:assert/strict";
import type { Clock } from "./clock.ts";
import { TtlCache } from "./ttl_cache.ts";

function kept(most?: number) {
  let now = 0;
  const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };
  const fresh = new TtlCache<number>(clock, {
    ttlMs: 100,
    ...(most === undefined ? {} : { maxEntries: most }),
  });
  let requests = 0;
  return {
    pass: (ms: number) => void (now += ms),
    get: (key = "a", answer: (n: number) => Promise<number> = (n) => Promise.resolve(n)) =>
      fresh.get(key, () => answer(++requests)),
    get requests() {
      return requests;
    },
  };
}

Deno.test("requests within the TTL share one value, and later ones fetch it again", async () => {
  const answers = kept();
  deepEqual(await Promise.all([answers.get(), answers.get(), answers.get()]), [1, 1, 1]);
  answers.pass(100);
  equal(await answers.get(), 1);
  answers.pass(1);
  equal(await answers.get(), 2);
});

Deno.test("the TTL begins when the value arrives, so that a slow endpoint is not queried again meanwhile", async () => {
  const answers = kept();
  const { promise, resolve } = Promise.withResolvers<number>();
  const first = answers.get("a", () => promise);
  answers.pass(1_000);
  const second = answers.get();
  resolve(7);
  deepEqual(await Promise.all([first, second]), [7, 7]);
  answers.pass(100);
  equal(await answers.get(), 7);
});

Deno.test("a failure reaches every waiting caller, and is not cached", async () => {
  const answers = kept();
  const fails = () => Promise.reject(new Error("down"));
  const waiting = [answers.get("a", fails), answers.get("a", fails)];
  for (const answer of waiting) await rejects(answer, /down/);
  equal(answers.requests, 1);
  equal(await answers.get(), 2);
});

Deno.test("when the cache is full, the oldest entry is dropped", async () => {
  const answers = kept(2);
  for (const key of ["a", "b", "c"]) await answers.get(key);
  equal(await answers.get("c"), 3);
  equal(await answers.get("b"), 2);
  equal(await answers.get("a"), 4);
});
