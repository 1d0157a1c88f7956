import assert from "node:assert/strict";
import fc from "fast-check";
import { propertyParameters } from "../../../testkit/random/property_runs.ts";
import { Problem } from "../errors/problem.ts";
import { amountSchema } from "./api/scalars.ts";
import { formatUnits, parseUnits } from "./units.ts";

Deno.test("whole units become nano exactly", () => {
  assert.equal(parseUnits("10"), 10_000_000_000n);
  assert.equal(parseUnits("0.1"), 100_000_000n);
  assert.equal(parseUnits("0.000000001"), 1n);
  assert.equal(parseUnits("1.5", 6), 1_500_000n);
});

Deno.test("formatUnits and parseUnits undo each other for every amount and number of decimals", () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 1n << 120n), fc.integer({ min: 0, max: 18 }), (nano, decimals) => {
      assert.equal(parseUnits(formatUnits(nano, decimals), decimals), nano);
    }),
    propertyParameters(100),
  );
});

for (
  const text of [
    "",
    "-1",
    "+1",
    "1e3",
    "01",
    "1.",
    ".5",
    "0x10",
    "1.0000000001",
    " 1",
    "1 ",
    "Infinity",
    "1,5",
    "9".repeat(99),
  ]
) {
  Deno.test(`parseUnits refuses ${JSON.stringify(text.slice(0, 12))}`, () => {
    assert.throws(
      () => parseUnits(text),
      (error) => error instanceof Problem && error.code === "invalid_amount",
    );
  });
}

for (const text of ["", "-1", "1e3", "01", "1.0", "0x10", "9".repeat(40)]) {
  Deno.test(`an amount in JSON is not ${JSON.stringify(text.slice(0, 12))}`, () => {
    assert.equal(amountSchema.safeParse(text).success, false);
  });
}
