/** When the app locks by itself. */
import { equal } from "node:assert/strict";
import { type IdleLock, startIdleLock } from "./idle_lock.ts";

const MINUTE_MS = 60_000;

type Event = "check" | "input" | "hide" | "show";

/** Runs events at the given minutes, and returns the minute of the first lock. */
function lockedAt(events: readonly (readonly [minute: number, event: Event])[], lockMinutes = 10) {
  let now = 0;
  let locked: number | undefined;
  const lock: IdleLock = startIdleLock({
    clock: { now: () => now * MINUTE_MS },
    lockAfterMs: () => lockMinutes * MINUTE_MS,
    onDue: () => locked ??= now,
  });
  for (const [minute, event] of events) {
    now = minute;
    if (event === "check") lock.check();
    else if (event === "input") lock.recordInput();
    else lock.recordVisibility(event === "hide");
  }
  return locked;
}

const cases: Readonly<Record<string, readonly [ReturnType<typeof lockedAt>, ReturnType<typeof lockedAt>]>> = {
  "stays open before the time without input": [lockedAt([[9, "check"]]), undefined],
  "locks after the time without input": [lockedAt([[10, "check"]]), 10],
  "locks after the user's time without input": [lockedAt([[1, "check"]], 1), 1],
  "stays open after input": [lockedAt([[9, "input"], [18, "check"]]), undefined],
  "stays open for less than two hidden minutes": [lockedAt([[1, "hide"], [2, "check"]]), undefined],
  "locks after two hidden minutes": [lockedAt([[1, "hide"], [3, "check"]]), 3],
  "counts hidden minutes from the last time the page was hidden": [
    lockedAt([[1, "hide"], [2, "show"], [3, "hide"], [4, "check"]]),
    undefined,
  ],
  "locks when the clock is set back": [lockedAt([[-60, "check"]]), -60],
  "locks at once when a page that was frozen while hidden is shown": [
    lockedAt([[1, "hide"], [4, "show"], [5, "check"]]),
    4,
  ],
  "locks at the input that wakes a frozen page": [lockedAt([[11, "input"], [12, "check"]]), 11],
  "locks at the input that comes before a frozen page is shown": [lockedAt([[1, "hide"], [4, "input"]]), 4],
};

for (const [name, [actual, expected]] of Object.entries(cases)) {
  Deno.test(`the app ${name}`, () => equal(actual, expected));
}
