import { deepEqual, equal, throws } from "node:assert/strict";
import { ChainClock } from "./chain_clock.ts";

const NOW = 1_700_000_000;
const HOUR = 3_600;
const DAY = 24 * HOUR;
const YEARS = 20 * 365 * DAY;

/** Returns which chain times are accepted, each given relative to the real time, with the seconds since the last. */
function accepted(
  readings: readonly (readonly [offset: number, passed?: number, device?: number, monotonic?: number])[],
  deviceOffset = 0,
): boolean[] {
  let [real, device, monotonic] = [NOW, NOW + deviceOffset, 0];
  const clock = new ChainClock({ now: () => device * 1000 }, { now: () => monotonic * 1000 });
  return readings.map(([offset, passed = 0, byDevice = passed, byMonotonic = passed]) => {
    real += passed;
    device += byDevice;
    monotonic += byMonotonic;
    return clock.accepts(real + offset);
  });
}

Deno.test("the first chain time of a visit may differ from the device's clock by a day", () => {
  for (const offset of [0, HOUR, -HOUR, DAY, -DAY]) deepEqual(accepted([[0]], offset), [true]);
  for (const offset of [DAY + 1, -DAY - 1]) deepEqual(accepted([[0], [0, 5]], offset), [false, false]);
  deepEqual(accepted([[YEARS]]), [false]);
});

Deno.test("a later chain time may differ by ten minutes from the time that has passed", () => {
  deepEqual(accepted([[0], [600, 90], [-600, 90], [601, 90]]), [true, true, true, false]);
  deepEqual(accepted([[0], [YEARS, 3], [0, 3]]), [true, false, true]);
  deepEqual(accepted([[YEARS], [0, 3]]), [false, true]);
});

Deno.test("a chain time is accepted after the device slept, and after its clock was corrected", () => {
  deepEqual(accepted([[0], [0, 5 * HOUR, 5 * HOUR, 1]]), [true, true]);
  deepEqual(accepted([[0], [0, 60, -HOUR, 60]]), [true, true]);
});

Deno.test("after a first chain time that was wrong by hours, the second honest one is accepted", () => {
  deepEqual(accepted([[5 * HOUR], [0, 3], [0, 3]]), [true, false, true]);
});

Deno.test("a chain time that is not plausible stops the work", () => {
  const clock = new ChainClock({ now: () => NOW * 1000 }, { now: () => 0 });
  equal(clock.check(NOW), NOW);
  throws(() => clock.check(NOW + YEARS), { code: "chain_inconsistent" });
});
