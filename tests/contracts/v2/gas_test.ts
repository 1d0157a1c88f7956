/** Gas of version 2 pools under mainnet's prices: the snapshot, and the targets. `deno task gas` writes new figures. */
import assert from "node:assert/strict";
import { readSnapshot } from "../../../testkit/gas/snapshot.ts";
import { HIGHEST_PATH_FIGURE, v2Measurements } from "../../../testkit/gas/v2_figures.ts";
import { missedTargets, missedV2Targets, v2Targets, withShares } from "../../../testkit/gas/v2_targets.ts";

const { version2, version2Jetton } = await readSnapshot();

Deno.test("gas of every message is as committed", async (t) => {
  const measured: string[] = [];
  for (const [what, measure] of Object.entries(v2Measurements)) {
    await t.step(what, async () => {
      for (const [name, gas] of Object.entries(await measure())) {
        assert.equal(gas, version2[name], name);
        measured.push(name);
      }
    });
  }
  assert.deepEqual(measured, Object.keys(version2), "the snapshot has no other figures");
});

Deno.test("every message meets its target, except those that docs/gas.md lists as missed", () => {
  assert.deepEqual(missedTargets(version2), missedV2Targets.native);
  assert.deepEqual(missedTargets(version2Jetton), missedV2Targets.jetton);
  const measured = { ...withShares(version2), ...withShares(version2Jetton) };
  assert.deepEqual(Object.keys(v2Targets).filter((name) => !(name in measured)), [], "no figure");
});

Deno.test("the most expensive withdrawal stays below GAS_HIGHEST_PATH, with 3 % to spare", async () => {
  const gas = version2[HIGHEST_PATH_FIGURE];
  const fees = await Deno.readTextFile(new URL("../../../contracts/v2/fees.tolk", import.meta.url));
  const bound = Number(/^const GAS_HIGHEST_PATH = (\d+)/m.exec(fees)![1]);
  assert.ok(gas * 1.03 <= bound && gas * 1.04 >= bound, `${gas} of ${bound}`);
});
