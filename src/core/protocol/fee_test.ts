import assert from "node:assert/strict";
import { policyFloor } from "./fee.ts";

const cases: [string, Parameters<typeof policyFloor>[0], bigint][] = [
  ["the basis points decide for a large pool", {
    denomination: 100_000_000_000n,
    feeBps: 50,
    feeMin: 50_000_000n,
  }, 500_000_000n],
  [
    "the minimum decides for a small pool",
    { denomination: 1_000_000_000n, feeBps: 50, feeMin: 50_000_000n },
    50_000_000n,
  ],
  ["a fraction of a nano is rounded down", { denomination: 19_999n, feeBps: 1, feeMin: 0n }, 1n],
  ["no fee at all", { denomination: 10n ** 9n, feeBps: 0, feeMin: 0n }, 0n],
];
for (const [name, policy, floor] of cases) {
  Deno.test(`policy floor: ${name}`, () => assert.equal(policyFloor(policy), floor));
}
