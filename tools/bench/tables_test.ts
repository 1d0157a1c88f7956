import { deepEqual, equal } from "node:assert/strict";
import { formatFigure, formatMeasurement, formatOutcome, formatTarget, targetTable } from "./tables.ts";
import type { Figure, Study } from "./study.ts";

const slow: Figure = {
  name: "peer",
  value: 0.0125,
  unit: "ms a hash",
  ratio: 8,
  target: { of: "ratio", atLeast: 10 },
};
const heavy: Figure = { name: "memory", value: 300, unit: "MB", target: { of: "value", atMost: 200 } };

Deno.test("figures are shown in readable units", () => {
  deepEqual(
    [0.0125, 12.5, 12_500].map((value) => formatMeasurement({ value, unit: "ms a hash" })),
    ["12.5 us a hash", "12.5 ms a hash", "12.5 s a hash"],
  );
  equal(formatMeasurement({ value: 12_345.6, unit: "requests/s" }), "12,346 requests/s");
});

Deno.test("a bound is on the ratio or on the value, and a missed one shows by how much", () => {
  deepEqual([formatTarget(slow.target!, slow.unit), formatOutcome(slow)], ["at least 10x", "missed by 20%"]);
  deepEqual([formatTarget(heavy.target!, heavy.unit), formatOutcome(heavy)], [
    "at most 200 MB",
    "missed by 50%",
  ]);
  equal(formatOutcome({ ...slow, ratio: 10 }), "met");
  equal(formatOutcome({ ...heavy, value: 200 }), "met");
  equal(formatOutcome({ ...heavy, target: undefined }), "");
});

Deno.test("the table of targets has every bounded figure and its build, and nothing else", () => {
  const run = () => Promise.resolve({ figures: [] });
  const study: Study = { id: "a", title: "Hash", about: "", builds: ["wide"], run };
  const common = {
    study: "a",
    build: "wide",
    when: "today",
    deno: "2",
    threads: 2,
    processor: "a",
    load: 0,
    seconds: 1,
  } as const;
  const figures = [{ name: "ours", value: 1, unit: "ms" }, slow];
  const [, , ...rows] = targetTable([study], [{ ...common, figures }]);
  deepEqual(rows, ["| Hash | peer (wide) | 8.00x | at least 10x | missed by 20% |"]);
  deepEqual(formatFigure(slow).split(/\s{2,}/), [
    "peer",
    "12.5 us a hash",
    "8.00x",
    "at least 10x: missed by 20%",
  ]);
});
