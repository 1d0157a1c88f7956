/**
 * The gas of version 2 pools at mainnet's prices: the snapshot and the targets. `deno task gas` writes new
 * figures.
 */
import assert from "node:assert/strict";
import { readSnapshot } from "../../../testkit/gas/snapshot.ts";
import { kinds } from "../../../testkit/gas/measure.ts";
import type { PoolKind } from "../../../testkit/gas/measured_pool.ts";
import { GETTER_LIMIT } from "../../../testkit/gas/ratios.ts";
import { measureV2Getters } from "../../../testkit/gas/v2_get_methods.ts";
import { countFittingBatches, HIGHEST_PATH_FIGURE, v2Measurements } from "../../../testkit/gas/v2_figures.ts";
import { missedTargets, missedV2Targets, v2Targets, withShares } from "../../../testkit/gas/v2_targets.ts";

const { version2, version2Jetton, version2Getters } = await readSnapshot();

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

/** Returns the names of the get methods in a pool's sources. */
async function declaredGetters(kind: PoolKind): Promise<string[]> {
  const files = ["pool.tolk", kind === "native" ? "pool_native.tolk" : "jetton/pool_jetton.tolk"];
  const sources = await Promise.all(
    files.map((file) => Deno.readTextFile(new URL(`../../../contracts/v2/${file}`, import.meta.url))),
  );
  return sources.flatMap((source) => [...source.matchAll(/^get fun (\w+)/gm)].map(([, name]) => name)).sort();
}

Deno.test("batches of 16 may exceed a transaction's gas at 2^20 notes, as docs/gas.md says", async () => {
  const { older, newest } = await countFittingBatches();
  assert.deepEqual([older, newest], [0, 8]);
  const page = await Deno.readTextFile(new URL("../../../docs/gas.md", import.meta.url));
  const text = page.replaceAll(/\s+/g, " ");
  assert.ok(text.includes("Of twelve such batches, none ran with an older root, and 8 with the newest one"));
});

for (const kind of kinds) {
  Deno.test(`gas of every get method of a ${kind} pool is as committed, and below what a lite server gives`, async () => {
    const measured = await measureV2Getters(kind);
    assert.deepEqual(measured, version2Getters[kind]);
    for (const [name, gas] of Object.values(measured).flatMap((figures) => Object.entries(figures))) {
      assert.ok(gas < GETTER_LIMIT, `${name} takes ${gas}`);
    }
    assert.deepEqual(Object.keys(measured.empty).sort(), await declaredGetters(kind), "one is not listed");
  });
}

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
