import { equal, ok } from "node:assert/strict";
import { firstAttemptChance } from "./first_attempt.ts";

const NOW = 1_800_000_000;
const DAY = 86_400;
const PAY = 90;
const spread = (count: number, seconds: number) =>
  Array.from({ length: count }, (_, i) => Math.round(NOW - seconds * i / count));
const percent = (times: readonly number[]) => Math.round(firstAttemptChance(times, NOW, PAY) * 100);

Deno.test("the chance is exp(-rate * time), with the rate of the last day", () => {
  // 145 deposits a day, 90 seconds to pay: exp(-145 / 86400 * 90) = 0.8598.
  equal(percent([NOW - 10 * DAY, ...spread(145, DAY)]), 86);
  equal(percent([NOW - 10 * DAY]), 100);
  equal(percent([]), 100);
  equal(firstAttemptChance([NOW - 2 * DAY, NOW - 1], NOW, PAY), Math.exp(-PAY / DAY));
});

Deno.test("older deposits are ignored, and a young pool's rate is computed over its age", () => {
  equal(percent([...spread(145, DAY), ...spread(5_000, DAY).map((time) => time - 2 * DAY)]), 86);
  const twoHours = spread(20, 7_200);
  const window = NOW - Math.min(...twoHours);
  equal(firstAttemptChance(twoHours, NOW, PAY), Math.exp(-19 / window * PAY));
});

Deno.test("a single deposit a minute ago does not give a high rate", () => {
  ok(firstAttemptChance([NOW - 60], NOW, PAY) > 0.97);
});

Deno.test("a deposit that is later than the device's time does not count", () => {
  equal(firstAttemptChance([NOW - 2 * DAY, NOW + 5], NOW, PAY), 1);
});
