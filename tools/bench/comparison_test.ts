import assert from "node:assert/strict";
import { measure, median } from "./comparison.ts";

Deno.test("the median ignores outliers", () => {
  assert.equal(median([100, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 100]), 3);
});

Deno.test("a measurement leaves the warm-up out and compares with the first contender, round by round", async () => {
  let clock = 0;
  let closed = false;
  const takes = (name: string, times: number[], operations: number) => ({
    name,
    operations,
    run: () => clock += times.shift()!,
  });
  const measured = await measure({
    rounds: 3,
    open(resources) {
      resources.defer(() => void (closed = true));
      return [takes("ours", [999, 10, 20, 30], 10), takes("theirs", [999, 20, 60, 60], 2)];
    },
  }, () => clock);
  assert.deepEqual(measured, [
    { name: "ours", milliseconds: 2, ratio: 1 },
    { name: "theirs", milliseconds: 30, ratio: 10 },
  ]);
  assert.ok(closed);
});
