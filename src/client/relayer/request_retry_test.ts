import { deepEqual, equal, rejects } from "node:assert/strict";
import { Problem } from "../../core/errors/problem.ts";
import { AttemptError, parseRetryAfterMs, type RequestRetryOptions, retryRequest } from "./request_retry.ts";

const silent = () => new AttemptError(new Problem("relayer_unavailable"));
const failed = (status: number) => new AttemptError(new Problem("relayer_unavailable"), status);
const limited = (retryAfterMs?: number) => new AttemptError(new Problem("rate_limited"), 429, retryAfterMs);

async function run(failures: readonly AttemptError[], options: Partial<RequestRetryOptions> = {}) {
  const mayHaveArrived: boolean[] = [];
  const waits: number[] = [];
  const left = [...failures];
  const result = await retryRequest((mayHaveTakenEffect) => {
    mayHaveArrived.push(mayHaveTakenEffect);
    const failure = left.shift();
    return failure ? Promise.reject(failure) : Promise.resolve("done");
  }, {
    maxAttempts: 5,
    maxRetryDelayMs: 60_000,
    random: () => 0.5,
    sleep: (ms) => (waits.push(ms), Promise.resolve()),
    ...options,
  });
  equal(result, "done");
  return { mayHaveArrived, waits };
}

Deno.test("retry: later attempts know that an earlier one may have arrived", async () => {
  deepEqual((await run([limited(), silent(), limited(), failed(503)])).mayHaveArrived, [
    false,
    false,
    true,
    true,
    true,
  ]);
  deepEqual((await run([failed(502), limited()])).mayHaveArrived, [false, true, true]);
  deepEqual((await run([failed(503), limited()])).mayHaveArrived, [false, false, false]);
});

Deno.test("a retry waits as long as the relayer asks for, and never longer than the limit", async () => {
  deepEqual((await run([limited(30_000)])).waits, [30_000]);
  deepEqual((await run([limited(60_000)])).waits, [60_000]);
  await rejects(run([limited(60_001)]), { code: "rate_limited" });
});

Deno.test("a retry fails after the last attempt, and at once where another attempt cannot help", async () => {
  equal((await run(Array.from({ length: 4 }, silent))).mayHaveArrived.length, 5);
  await rejects(run(Array.from({ length: 5 }, silent)), { code: "relayer_unavailable" });
  await rejects(run([failed(404)]), { code: "relayer_unavailable" });
  await rejects(run([new AttemptError(new Problem("proof_invalid"), 400)]), { code: "proof_invalid" });
});

Deno.test("Retry-After is a number of seconds or a date", () => {
  equal(parseRetryAfterMs("120", 0), 120_000);
  equal(parseRetryAfterMs("Thu, 01 Jan 1970 00:01:00 GMT", 20_000), 40_000);
  equal(parseRetryAfterMs("Thu, 01 Jan 1970 00:00:10 GMT", 20_000), 0);
  equal(parseRetryAfterMs("soon", 0), undefined);
  equal(parseRetryAfterMs(null, 0), undefined);
});
