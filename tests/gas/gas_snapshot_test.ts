/**
 * The cost of every message and get method equals `gas_snapshot.json`, so the test detects increases and
 * decreases. After an intended change, `deno task gas` writes the new figures to it and to docs/gas.md.
 */
import assert from "node:assert/strict";
import { fills } from "../../testkit/gas/fills.ts";
import { openMeasuredPool, type PoolKind } from "../../testkit/gas/measured_pool.ts";
import { entryPoints } from "../../testkit/gas/entry_points.ts";
import {
  kinds,
  measureFill,
  measureParts,
  measureSize,
  measureVerification,
} from "../../testkit/gas/measure.ts";
import { gasRatio, GETTER_LIMIT, ratioFills, targeted } from "../../testkit/gas/ratios.ts";
import { measureRules } from "../../testkit/gas/rules.ts";
import { readSnapshot, TRACED_FILL } from "../../testkit/gas/snapshot.ts";

const snapshot = await readSnapshot();

for (const kind of kinds) {
  for (const fill of fills) {
    Deno.test(`gas of a ${kind} pool, ${fill.name}: every message and get method as committed`, async () => {
      assert.deepEqual(await measureFill(kind, fill), snapshot.gas[kind][fill.name]);
    });
  }

  Deno.test(`the parts of the gas of a ${kind} pool are as committed`, async () => {
    const fill = fills.find(({ name }) => name === TRACED_FILL)!;
    const parts = await measureParts(kind, fill);
    assert.deepEqual(parts, snapshot.parts[kind]);
    for (const [name, { parse, history, set, verify, settle }] of Object.entries(parts)) {
      const whole = snapshot.gas[kind][fill.name].messages[name];
      assert.equal(parse + history + set + verify + settle, whole, `${name}: parts do not add up`);
    }
  });
}

for (const fill of fills) {
  Deno.test(`cells and bits of a pool, ${fill.name}, are as committed`, () => {
    for (const kind of kinds) assert.deepEqual(measureSize(fill)[kind], snapshot.size[kind][fill.name]);
  });
}

Deno.test("gas of each rule that protects money is as committed, and docs/gas.md compares with the time before", async () => {
  assert.deepEqual(await measureRules(), snapshot.rules);
  const before = { native: [121_315, 133_258], jetton: [126_603, 137_450] };
  const text = (await Deno.readTextFile("docs/gas.md")).replaceAll(/\s+/g, " ");
  for (const kind of kinds) {
    for (const [i, name] of targeted.entries()) {
      const { [name]: now } = snapshot.gas[kind][TRACED_FILL].messages;
      const added = Object.entries(snapshot.rules).filter(([rule]) => rule.startsWith(`${kind}: ${name}: `))
        .reduce((sum, [, gas]) => sum + Math.max(0, gas), 0);
      assert.ok(now - before[kind][i] <= added, `${kind}: ${name} grew by more than its rules`);
      assert.ok(text.includes(before[kind][i].toLocaleString("en")), `${kind}: ${name}`);
    }
  }
});

Deno.test("gas of verification alone is as committed", async () => {
  assert.deepEqual(await measureVerification(), snapshot.verification);
});

Deno.test("slots that no message touches change no figure: complete sets give the same figures", async () => {
  const [, fill] = fills;
  for (const kind of kinds) {
    const bench = await openMeasuredPool(kind, fill);
    const whole = { ...bench, reset: (change = {}) => bench.reset({ ...fill.sets(), ...change }) };
    for (const name of ["deposit", "withdraw, newest root", "withdraw, oldest root"]) {
      const { gasUsed: gas } = await entryPoints.find((entry) => entry.name === name)!.send(whole);
      assert.equal(Number(gas), snapshot.gas[kind][fill.name].messages[name], name);
    }
  }
});

/**
 * The most gas that a message may use, as a multiple of its verification. Above 1.2 it misses the target, as
 * docs/gas.md says.
 */
const ratioBounds = {
  native: { deposit: 1.2, "withdraw, newest root": 1.22 },
  // A jetton deposit also prepays storage and, once in 32, moves the claims to a new archive.
  jetton: { deposit: 1.24, "withdraw, newest root": 1.26 },
} as const;

for (const kind of kinds) {
  for (const name of targeted) {
    const bound = ratioBounds[kind][name];
    Deno.test(`${kind}: ${name} takes less than ${bound} times its verification, for any number of notes`, () => {
      const ratios = ratioFills.map((fill) => gasRatio(snapshot, kind, name, fill));
      for (const [i, times] of ratios.entries()) assert.ok(times < bound, `${ratioFills[i]}: ${times}`);
      assert.ok(Math.max(...ratios) > bound - 0.025, `the bound is loose: ${ratios.join()}`);
    });
  }
}

Deno.test("docs/gas.md states the gas that joining the fee's payout with the rest of the value would save", async () => {
  const { messages } = snapshot.gas.native[TRACED_FILL];
  const saved = messages["withdraw, newest root"] - messages["withdraw, no fee to pay"];
  const text = (await Deno.readTextFile("docs/gas.md")).replaceAll(/\s+/g, " ");
  const before = gasRatio(snapshot, "native", "withdraw, newest root", TRACED_FILL);
  const after = gasRatio(snapshot, "native", "withdraw, no fee to pay", TRACED_FILL);
  const beside = messages["withdraw, newest root"] - snapshot.verification.withdraw;
  for (
    const claim of [
      `${saved.toLocaleString("en")} gas`,
      `reduce the ratio from ${before.toFixed(3)} to ${after.toFixed(3)}`,
      `${beside.toLocaleString("en")} gas besides verification`,
    ]
  ) assert.ok(text.includes(claim), `docs/gas.md does not say: ${claim}`);
});

Deno.test("SPEC.md says by how much the target is missed", async () => {
  const text = (await Deno.readTextFile("contracts/v1/SPEC.md")).replaceAll(/\s+/g, " ");
  const times = (kind: PoolKind, name: string, fill: string) =>
    gasRatio(snapshot, kind, name, fill).toFixed(3);
  const withdraw = (fill: string) => times("native", "withdraw, newest root", fill);
  for (
    const claim of [
      `With 1,000 notes a native withdrawal takes ${
        withdraw("1,000")
      } times its verification, with 100,000 notes ` +
      `${withdraw("100,000")} times`,
      `and with 131,071 notes ${withdraw("131,071")} times`,
      `a withdrawal takes ${
        times("jetton", "withdraw, newest root", "100,000")
      } times its verification and a ` +
      `deposit ${times("jetton", "deposit", "100,000")} times`,
    ]
  ) assert.ok(text.includes(claim), `SPEC.md does not say: ${claim}`);
});

Deno.test("get methods stay below the limit of a lite server", () => {
  for (const kind of kinds) {
    for (const [fill, { getters }] of Object.entries(snapshot.gas[kind])) {
      for (const [name, gas] of Object.entries(getters)) {
        assert.ok(gas < GETTER_LIMIT, `${kind}, ${fill}: ${name} takes ${gas}`);
      }
    }
  }
});
