import { deepEqual } from "node:assert/strict";
import { type AlertCondition, nextAlertCondition } from "./service_alerts.ts";

const none: AlertCondition = { alerted: false };
const held: AlertCondition = { since: 1_000, alerted: false };
const alerted: AlertCondition = { since: 1_000, alerted: true };

const cases: [
  claim: string,
  from: AlertCondition,
  holds: boolean,
  now: number,
  sends: boolean,
  to: unknown,
][] = [
  ["what does not hold stays quiet", none, false, 1_000, true, { condition: none }],
  ["what begins to hold waits", none, true, 1_000, true, { condition: held }],
  ["what holds for less than the time waits", held, true, 5_999, true, { condition: held }],
  ["what holds for the time is alerted", held, true, 6_000, true, { condition: alerted, due: "alert" }],
  ["it is alerted once", alerted, true, 99_000, true, { condition: alerted }],
  ["what is over is told", alerted, false, 99_000, true, { condition: none, due: "recovery" }],
  ["what ended in time was never alerted", held, false, 5_000, true, { condition: none }],
  ["a replica that does not send is quiet", held, true, 6_000, false, { condition: held }],
  ["and does not tell that it is over", alerted, false, 6_000, false, { condition: none }],
];
for (const [claim, from, holds, now, sends, to] of cases) {
  Deno.test(`service alerts: ${claim}`, () => {
    deepEqual(nextAlertCondition(from, { now, holds, afterMs: 5_000, sends }), to);
  });
}
