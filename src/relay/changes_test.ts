import { equal } from "node:assert/strict";
import { Changes, waitFor } from "./changes.ts";
import { type Clock, systemClock } from "./clock.ts";

const forEver: Clock = { now: () => 0, sleep: (_, signal) => systemClock.sleep(2 ** 30, signal) };
const never = new AbortController().signal;

Deno.test("changes: a change between asking and waiting is not missed", async () => {
  const changes = new Changes();
  const change = changes.next();
  changes.notify();
  await waitFor(change, 1, forEver, never);
});

Deno.test("changes: everyone who waits wakes, whoever asks afterwards waits for the next one", async () => {
  const changes = new Changes();
  let woken = 0;
  const waiting = [1, 2, 3].map(() => waitFor(changes.next(), 1, forEver, never).then(() => woken++));
  changes.notify();
  await Promise.all(waiting);
  equal(woken, 3);
  const later = changes.next();
  const first = await Promise.race([later.then(() => "woken"), Promise.resolve("waits")]);
  equal(first, "waits");
});

Deno.test("changes: an abort ends the wait", async () => {
  const stop = new AbortController();
  const wait = waitFor(new Changes().next(), 1, forEver, stop.signal);
  stop.abort();
  await wait;
});
