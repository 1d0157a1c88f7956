import assert from "node:assert/strict";
import { joinMsmShares, planMsmShares } from "./msm_shares.ts";
import type { MsmName } from "./prover_task.ts";

const names: MsmName[] = ["a", "b1", "b2", "c", "h"];

for (const workers of [0, 1, 2, 3, 4, 8]) {
  Deno.test(`a proof on ${workers} workers has every part of every sum once, and the parts join in order`, () => {
    const shares = planMsmShares(workers);
    const numbered = shares.map((share, i) => ({ ...share, i }));
    const sums = joinMsmShares(shares, shares.map((_, i) => Uint8Array.of(i)));
    for (const name of names) {
      const own = numbered.filter(({ msm }) => msm === name);
      assert.deepEqual(
        own.map(({ part }) => part),
        Array.from({ length: own[0].partCount }, (_, part) => part),
      );
      assert.deepEqual([...sums[name]], own.map(({ i }) => i));
    }
    assert.equal(shares.length, names.reduce((sum, name) => sum + sums[name].length, 0));
    assert.equal(shares.length, workers < 4 ? 5 : 7);
  });
}
