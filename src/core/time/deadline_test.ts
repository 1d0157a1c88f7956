/** Deadlines, aborts, polling, backoff and shared work. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { backoffMs } from "./backoff.ts";
import { type Clock, systemClock } from "./clock.ts";
import { abortable, delay, pollUntil, withDeadline } from "./deadline.ts";
import { memoizeAsync, SingleFlight } from "./single_flight.ts";

/** A clock that a test moves. A sleep ends when its time has come or its signal aborts. */
class ManualClock implements Clock {
  #now = 0;
  readonly #sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();

  now = () => this.#now;

  get sleepers(): number {
    return this.#sleepers.size;
  }

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const sleeper = { at: this.#now + ms, wake: () => (this.#sleepers.delete(sleeper), resolve()) };
      if (signal?.aborted) return resolve();
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", sleeper.wake);
    });

  pass(ms: number): void {
    this.#now += ms;
    for (const sleeper of [...this.#sleepers]) if (sleeper.at <= this.#now) sleeper.wake();
  }
}

const never = () => new Promise<never>(() => {});
const settle = () => new Promise((resolve) => setTimeout(resolve)); // lets everything that is not waiting run

async function atOnce<T>(promise: Promise<T>): Promise<T> {
  const pending = Symbol();
  const first = await Promise.race([promise, settle().then(settle).then(() => pending)]);
  if (first === pending) throw new Error("still pending");
  return first as T;
}

// The first test: the timers of another one might still run.
Deno.test({
  name: "work that ends before its deadline leaves no timer behind",
  sanitizeOps: true,
  sanitizeResources: true,
  fn: async () =>
    equal(
      await withDeadline(60_000, { onTimeout: () => new Error("too late") }, () => Promise.resolve(1)),
      1,
    ),
});

Deno.test("abortable: the work's outcome, or cancelled with the reason as soon as the signal aborts", async () => {
  equal(await atOnce(abortable(Promise.resolve(7))), 7);
  const stop = new AbortController();
  equal(await atOnce(abortable(Promise.resolve(8), stop.signal)), 8);
  await rejects(atOnce(abortable(Promise.reject(new Error("broken")), stop.signal)), /broken/);
  const waiting = abortable(never(), stop.signal);
  stop.abort("enough");
  await rejects(atOnce(waiting), { code: "cancelled", cause: "enough" });
  await rejects(atOnce(abortable(never(), stop.signal)), { code: "cancelled", cause: "enough" });
  // A failure after the abort must not become an unhandled rejection.
  const late = Promise.withResolvers<never>();
  await rejects(atOnce(abortable(late.promise, stop.signal)), { code: "cancelled" });
  late.reject(new Error("late"));
  await settle();
});

Deno.test("delay: waits, and throws cancelled if it was aborted", async () => {
  const clock = new ManualClock();
  const waiting = delay(10, undefined, clock);
  clock.pass(9);
  await rejects(atOnce(waiting), /still pending/);
  clock.pass(1);
  await atOnce(waiting);
  const stop = new AbortController();
  const stopped = delay(10, stop.signal, clock);
  stop.abort();
  await rejects(atOnce(stopped), { code: "cancelled" });
});

Deno.test("the system's clock sleeps no longer than its signal allows, and not at all if it has aborted", async () => {
  const stop = new AbortController();
  const sleeping = systemClock.sleep(3_600_000, stop.signal);
  stop.abort();
  await atOnce(sleeping);
  await atOnce(systemClock.sleep(3_600_000, stop.signal));
});

Deno.test("withDeadline: the work's outcome before it, the given error at it, cancelled on abort", async () => {
  const clock = new ManualClock();
  const options = { clock, onTimeout: () => new Error("too late") };
  equal(await atOnce(withDeadline(10, options, () => Promise.resolve(5))), 5);
  await rejects(atOnce(withDeadline(10, options, () => Promise.reject(new Error("broken")))), /broken/);
  equal(clock.sleepers, 0, "the timer outlives the work");

  let signalOfWork: AbortSignal | undefined;
  const timedOut = withDeadline(10, options, (signal) => (signalOfWork = signal, never()));
  clock.pass(9);
  await rejects(atOnce(timedOut), /still pending/);
  clock.pass(1);
  await rejects(atOnce(timedOut), /too late/);
  ok(signalOfWork!.aborted, "the work is not told to stop");

  const stop = new AbortController();
  let reason: unknown;
  const stopped = withDeadline(10, { ...options, signal: stop.signal }, (signal) => {
    signal.addEventListener("abort", () => reason = signal.reason);
    return never();
  });
  stop.abort("enough");
  await rejects(atOnce(stopped), { code: "cancelled", cause: "enough" });
  equal(reason, "enough");
  await rejects(atOnce(withDeadline(10, { ...options, signal: stop.signal }, never)), { code: "cancelled" });
});

Deno.test("backoff: doubles up to its maximum, and varies between half and all of it", () => {
  const waits = { initialMs: 100, maxMs: 1_000 };
  deepEqual([1, 2, 3, 4, 5, 99].map((failures) => backoffMs(failures, waits)), [
    100,
    200,
    400,
    800,
    1_000,
    1_000,
  ]);
  deepEqual([0, 0.5, 1].map((at) => backoffMs(2, { ...waits, random: () => at })), [100, 150, 200]);
});

Deno.test("pollUntil: until it holds, or longer than the timeout has passed, with the time that has passed", async () => {
  const clock: Clock & { at: number } = {
    at: 5,
    now: () => clock.at,
    sleep: (ms) => (clock.at += ms, Promise.resolve()),
  };
  const polling = { intervalMs: 10, timeoutMs: 25, clock };
  let calls = 0;
  equal(await pollUntil(() => ++calls === 3, polling), true);
  deepEqual([calls, clock.at], [3, 25]);
  const waited: number[] = [];
  const onWait = ({ elapsed, timeout }: { elapsed: number; timeout: number }) => {
    waited.push(elapsed);
    equal(timeout, 25);
  };
  equal(await pollUntil(() => Promise.resolve(false), { ...polling, onWait }), false);
  deepEqual(waited, [0, 10, 20]);
  const exact: number[] = [];
  const exactly = { ...polling, timeoutMs: 20, onWait: () => void exact.push(0) };
  equal(await pollUntil(() => false, exactly), false);
  equal(exact.length, 3, "the timeout itself is still in time");
  equal(await pollUntil(() => true, { ...polling, timeoutMs: 0 }), true);
  const stop = AbortSignal.abort();
  await rejects(pollUntil(() => false, { ...polling, signal: stop }), { code: "cancelled" });
});

Deno.test("SingleFlight: equal keys share the work while it runs, whether it succeeds or fails", async () => {
  const flight = new SingleFlight<number>();
  const work = Promise.withResolvers<number>();
  const first = flight.run("a", () => work.promise);
  const second = flight.run("a", () => Promise.resolve(2));
  const other = flight.run("b", () => Promise.resolve(3));
  deepEqual([first.joined, second.joined, other.joined], [false, true, false]);
  work.resolve(1);
  deepEqual(await Promise.all([first.result, second.result, other.result]), [1, 1, 3]);
  const again = flight.run("a", () => Promise.reject(new Error("broken")));
  equal(again.joined, false);
  await rejects(again.result, /broken/);
  equal(flight.run("a", () => Promise.resolve(4)).joined, false);
});

Deno.test("memoizeAsync: calls share one value, and a failed call is repeated", async () => {
  let calls = 0;
  const next = memoizeAsync(() =>
    ++calls === 1 ? Promise.reject(new Error("broken")) : Promise.resolve(calls)
  );
  const [first, second] = [next(), next()];
  await rejects(first, /broken/);
  await rejects(second, /broken/);
  deepEqual([await next(), await next()], [2, 2]);
});
