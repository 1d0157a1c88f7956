import { equal } from "node:assert/strict";
import { ChangeSignal } from "./change_signal.ts";
import { type Clock, systemClock } from "../core/time/clock.ts";

const forEver: Clock = { now: () => 0, sleep: (_, signal) => systemClock.sleep(2 ** 30, signal) };
const never = new AbortController().signal;

Deno.test("a change between reading the count and waiting is not missed", async () => {
  const changes = new ChangeSignal();
  const seen = changes.count;
  changes.notify();
  await changes.waitForChange(seen, 1, forEver, never);
});

Deno.test("all waiters wake, and later ones wait for the next change", async () => {
  const changes = new ChangeSignal();
  let woken = 0;
  const wait = () => changes.waitForChange(changes.count, 1, forEver, never).then(() => woken++);
  const first = [wait(), wait(), wait()];
  changes.notify();
  await Promise.all(first);
  const later = wait();
  await Promise.resolve();
  equal(woken, 3);
  changes.notify();
  await later;
  equal(woken, 4);
});

Deno.test("a timeout or an abort also ends the wait", async () => {
  const changes = new ChangeSignal();
  await changes.waitForChange(0, 1, systemClock, never);
  const stop = new AbortController();
  const waits = changes.waitForChange(0, 1, forEver, stop.signal);
  stop.abort();
  await waits;
  await changes.waitForChange(0, 1, forEver, stop.signal);
});
