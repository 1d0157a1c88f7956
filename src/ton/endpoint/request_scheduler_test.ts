import assert from "node:assert/strict";
import { Problem } from "../../core/errors/problem.ts";
import type { Clock } from "../../core/time/clock.ts";
import { type RequestPriority, RequestScheduler } from "./request_scheduler.ts";

class ManualClock implements Clock {
  #now = 0;
  readonly #sleepers: { at: number; wake: () => void }[] = [];

  now() {
    return this.#now;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => this.#sleepers.push({ at: this.#now + ms, wake }));
  }

  async advance(ms: number): Promise<void> {
    this.#now += ms;
    for (const sleeper of this.#sleepers.splice(0)) {
      if (sleeper.at <= this.#now) sleeper.wake();
      else this.#sleepers.push(sleeper);
    }
    await settled();
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

Deno.test("the highest priority runs first, in whatever order requests arrive", async () => {
  const scheduler = new RequestScheduler({ requestsPerSecond: Infinity, concurrency: 1 });
  const order: RequestPriority[] = [];
  const first = gate();
  const running = scheduler.run("getters", () => first.passed);
  const waiting = (["getters", "transactions", "seqno", "send"] as RequestPriority[])
    .map((rank) => scheduler.run(rank, () => Promise.resolve(order.push(rank))));
  first.open();
  await Promise.all([running, ...waiting]);
  assert.deepEqual(order, ["send", "seqno", "transactions", "getters"]);
});

Deno.test("requests of one priority run in the order of arrival", async () => {
  const scheduler = new RequestScheduler({ requestsPerSecond: Infinity, concurrency: 1 });
  const order: number[] = [];
  await Promise.all([1, 2, 3].map((i) => scheduler.run("getters", () => Promise.resolve(order.push(i)))));
  assert.deepEqual(order, [1, 2, 3]);
});

Deno.test("no more requests start than the rate allows; one of higher priority overtakes those that wait", async () => {
  const clock = new ManualClock();
  const scheduler = new RequestScheduler({ requestsPerSecond: 10, clock });
  const started: string[] = [];
  const run = (rank: RequestPriority, name: string) =>
    scheduler.run(rank, () => Promise.resolve(started.push(name)));
  const all = [run("getters", "a"), run("getters", "b"), run("getters", "c"), run("send", "urgent")];
  await settled();
  assert.deepEqual(started, ["a"]);
  await clock.advance(99);
  assert.deepEqual(started, ["a"]);
  await clock.advance(1);
  assert.deepEqual(started, ["a", "urgent"]);
  await clock.advance(100);
  await clock.advance(100);
  await Promise.all(all);
  assert.deepEqual(started, ["a", "urgent", "b", "c"]);
});

Deno.test("a pause delays all requests", async () => {
  const clock = new ManualClock();
  const scheduler = new RequestScheduler({ requestsPerSecond: Infinity, clock });
  scheduler.pause(5000);
  let started = false;
  const run = scheduler.run("send", () => Promise.resolve(started = true));
  await clock.advance(4999);
  assert.equal(started, false);
  await clock.advance(1);
  await run;
  assert.equal(started, true);
});

Deno.test("concurrency is limited, and a failed request frees its slot", async () => {
  const scheduler = new RequestScheduler({ requestsPerSecond: Infinity, concurrency: 2 });
  const gates = [gate(), gate(), gate()];
  let running = 0;
  const all = gates.map(({ passed }, i) =>
    scheduler.run("getters", async () => {
      running++;
      await passed;
      running--;
      if (i === 0) throw new Error("failed");
    })
  );
  const failure = assert.rejects(all[0], /failed/);
  await settled();
  assert.equal(running, 2);
  gates[0].open();
  await failure;
  await settled();
  assert.equal(running, 2);
  gates[1].open();
  gates[2].open();
  await Promise.all(all.slice(1));
});

Deno.test("a request that is aborted while it waits never starts and blocks no other", async () => {
  const scheduler = new RequestScheduler({ requestsPerSecond: Infinity, concurrency: 1 });
  const first = gate();
  const running = scheduler.run("getters", () => first.passed);
  const controller = new AbortController();
  const aborted = scheduler.run("send", () => Promise.reject(new Error("started")), controller.signal);
  const next = scheduler.run("getters", () => Promise.resolve("done"));
  controller.abort();
  await assert.rejects(aborted, (error: unknown) => error instanceof Problem && error.code === "cancelled");
  first.open();
  await running;
  assert.equal(await next, "done");
});

Deno.test("no timer remains when all waiting requests were aborted, and later requests run", async () => {
  const scheduler = new RequestScheduler({ requestsPerSecond: 1 / 3600 }); // the system's own timer
  await scheduler.run("getters", () => Promise.resolve());
  const controller = new AbortController();
  const aborted = scheduler.run("getters", () => Promise.resolve(), controller.signal);
  controller.abort();
  await assert.rejects(aborted);
  const again = new AbortController();
  const later = scheduler.run("getters", () => Promise.resolve(), again.signal);
  await settled();
  again.abort();
  await assert.rejects(later); // Deno fails this test if the hour's timer were still running
});

Deno.test("API requests have the lowest priority, and at most ten seconds' worth of them may wait", async () => {
  const clock = new ManualClock();
  const scheduler = new RequestScheduler({ requestsPerSecond: 1, clock });
  const started: string[] = [];
  const run = (rank: RequestPriority, name: string) =>
    scheduler.run(rank, () => Promise.resolve(started.push(name)));
  const requests = Array.from({ length: 11 }, (_, i) => run("requests", `request ${i}`)); // the first starts at once
  await assert.rejects(run("requests", "one too many"), (error) => {
    assert.ok(error instanceof Problem);
    assert.deepEqual([error.code, error.members.retryAfter], ["overloaded", 10]);
    return true;
  });
  const own = [run("getters", "roots"), run("transactions", "history")];
  for (let i = 0; i < 12; i++) await clock.advance(1_000);
  await Promise.all([...requests, ...own]);
  assert.deepEqual(started.slice(0, 4), ["request 0", "history", "roots", "request 1"]);
  await clock.advance(1_000);
  await run("requests", "there is room again");
});
