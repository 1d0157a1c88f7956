/** Each member of a key is checked: changing any one of them is refused with its name. */
import assert from "node:assert/strict";
import { openArithmeticPool } from "../../../src/ops/ceremony/arithmetic/pool.ts";
import { pointFromHex } from "../../../src/ops/ceremony/arithmetic/point_hex.ts";
import { loadGenerators } from "../../../src/ops/ceremony/arithmetic/points.ts";
import {
  announceBeacon,
  beginCeremony,
  closeWithBeacon,
  contributeToCeremony,
} from "../../../src/ops/ceremony/ceremony.ts";
import { loadCeremony, requireKeys } from "../../../src/ops/ceremony/ceremony_folder.ts";
import { checkDelta, checkInitialKey, checkKey } from "../../../src/ops/ceremony/key_checks.ts";
import { openPowersOfTau } from "../../../src/ops/ceremony/powers_of_tau.ts";
import { insecurePowersOfTau } from "../../../src/ops/ceremony/rehearsal/insecure_powers.ts";
import { memoryFolder } from "../../../src/ops/ceremony/rehearsal/memory_folder.ts";
import { TINY_POWER, tinyCircuits } from "../../../src/ops/ceremony/rehearsal/tiny_circuits.ts";
import { memorySource } from "../../../src/ops/ceremony/section_file.ts";
import { historyOf } from "../../../src/ops/ceremony/transcript/entries.ts";
import { keyEntries } from "../../../src/ops/ceremony/transcript/transcript.ts";
import type { KeyContribution, Zkey } from "../../../src/ops/ceremony/zkey.ts";
import { announcement, beacon, utf8 } from "../../support/ceremony/ceremony_fixture.ts";

/** Plays a ceremony with one contribution, and returns functions that check a changed key. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const arithmetic = openArithmeticPool(2);
  stack.defer(() => arithmetic.close());
  const folder = memoryFolder();
  const r1cs = tinyCircuits();
  const powers = memorySource(insecurePowersOfTau(TINY_POWER));
  const step = { folder, arithmetic };
  await beginCeremony({ ...step, powers, r1cs });
  await announceBeacon({ ...step, announcement });
  await contributeToCeremony({ ...step, name: "Alice", entropy: utf8("e") });
  await closeWithBeacon({ ...step, ...beacon });
  const ceremony = await loadCeremony(folder);
  const { initial: { withdraw: initial }, current: { withdraw: key } } = requireKeys(ceremony);
  const history = historyOf(ceremony.transcript, "withdraw");
  const tau = await openPowersOfTau(powers);
  const { g1, g2 } = await loadGenerators(arithmetic);
  const initialFails = (change: Partial<Zkey>, message: RegExp) =>
    assert.rejects(
      checkInitialKey({ ...initial, ...change }, r1cs.withdraw, tau, arithmetic),
      message,
      Object.keys(change)[0],
    );
  const keyFails = (change: Partial<Zkey>, message: RegExp) =>
    assert.rejects(
      checkKey({ ...key, ...change }, initial, history, arithmetic),
      message,
      Object.keys(change)[0],
    );
  const deltaFails = (change: Partial<Zkey>, message: RegExp) =>
    assert.rejects(checkDelta({ ...key, ...change }, arithmetic), message, Object.keys(change)[0]);
  const open = stack.move();
  return {
    initial,
    r1cs,
    tau,
    arithmetic,
    key,
    history,
    initialFails,
    keyFails,
    g1,
    g2,
    ceremony,
    deltaFails,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("a key with any one member changed is refused", async (t) => {
  await using scene = await openScene();
  await t.step("the keys themselves are accepted", () => acceptsGenuine(scene));
  await refusesHeaders(t, scene);
  await t.step("points at infinity, although the initial key has the same", () => refusesInfinity(scene));
  await t.step("its contributions", () => refusesContributions(scene));
  await t.step("delta, and what is divided by it", () => refusesDelta(scene));
});

async function acceptsGenuine({ initial, r1cs, tau, arithmetic, key, history }: Scene): Promise<void> {
  await checkInitialKey(initial, r1cs.withdraw, tau, arithmetic);
  await checkKey(key, initial, history, arithmetic);
  await checkDelta(key, arithmetic);
}

async function refusesHeaders(
  t: Deno.TestContext,
  { key, initialFails, initial, keyFails }: Scene,
): Promise<void> {
  await t.step("the header of an initial key", async () => {
    const { delta1, delta2 } = key;
    const changes = { alpha1: delta1, beta1: delta1, beta2: delta2, gamma2: delta2, delta1, delta2 };
    for (const [name, value] of Object.entries(changes)) {
      await initialFails(
        { [name]: value },
        /does not begin with the required alpha, beta, gamma and delta/,
      );
    }
    for (const name of ["variables", "public", "domain"] as const) {
      await initialFails({ [name]: initial[name] + 1 }, /belongs to another circuit/);
    }
    await initialFails({ contributions: key.contributions }, /has contributions already/);
  });

  await t.step("a contribution that changes a fixed member is refused", async () => {
    for (const name of ["variables", "public", "domain"] as const) {
      await keyFails({ [name]: key[name] + 1 }, /belongs to another circuit/);
    }
    for (const name of ["alpha1", "beta1", "beta2", "gamma2", "circuitHash"] as const) {
      await keyFails({ [name]: flipped(key[name]) }, new RegExp(`has another ${name} than the initial`));
    }
    for (const name of ["IC", "coefficients", "A", "B1", "B2"] as const) {
      const sections = { ...key.sections, [name]: flipped(key.sections[name]) };
      await keyFails({ sections }, new RegExp(`has another section ${name} than the initial`));
    }
  });
}

async function refusesInfinity({ g1, g2, key, initial, history, arithmetic }: Scene): Promise<void> {
  const [zero1, zero2] = [new Uint8Array(g1.length), new Uint8Array(g2.length)];
  const zeros = { alpha1: zero1, beta1: zero1, beta2: zero2, gamma2: zero2 };
  const refused = (change: Partial<Zkey>, name: string) =>
    assert.rejects(
      checkKey({ ...key, ...change }, { ...initial, ...change }, history, arithmetic),
      new RegExp(`key, ${name} contains a point outside`),
    );
  for (const [name, value] of Object.entries(zeros)) await refused({ [name]: value }, name);
  const IC = key.sections.IC.map(() => 0);
  await refused({ sections: { ...key.sections, IC } }, "IC");
  await refused({ ...zeros, sections: { ...key.sections, IC } }, "alpha1");
}

async function refusesContributions({ key, keyFails }: Scene): Promise<void> {
  const [alice, last] = key.contributions;
  const other: Partial<KeyContribution>[] = [
    ...(["delta", "s", "sx", "answer", "challenge"] as const).map((name) => ({
      [name]: flipped(alice[name]),
    })),
    { name: "Mallory" },
    { beacon: last.beacon },
  ];
  for (const change of other) {
    await keyFails({ contributions: [{ ...alice, ...change }, last] }, /has other contributions than/);
  }
  const { value, exponent } = last.beacon!;
  for (const changed of [{ value: flipped(value), exponent }, { value, exponent: exponent + 1 }]) {
    await keyFails(
      { contributions: [alice, { ...last, beacon: changed }] },
      /has other contributions than/,
    );
  }
  await keyFails({ contributions: [alice] }, /has other contributions than/);
  await keyFails({ contributions: [alice, last, last] }, /has other contributions than/);
}

async function refusesDelta({ key, ceremony, keyFails, g2, initial, deltaFails, g1 }: Scene): Promise<void> {
  const [{ delta }] = key.contributions;
  const earlier = keyEntries(ceremony.transcript)[0].keys.withdraw.delta.g2;
  await keyFails({ delta1: delta }, /has another delta than its contributions give/);
  await keyFails(
    { delta1: delta, delta2: pointFromHex(earlier) },
    /has another delta than its contributions give/,
  );
  await keyFails({ delta2: g2 }, /has another delta than its contributions give/);
  for (const name of ["L", "H"] as const) {
    const sections = { ...key.sections, [name]: initial.sections[name] };
    await keyFails(
      { sections },
      new RegExp(`has a section ${name} that is not the initial one over delta`),
    );
  }
  await deltaFails({ gamma2: key.beta2 }, /has a gamma that is not 1/);
  await deltaFails({ delta1: g1 }, /has the same delta as gamma/);
  await deltaFails({ delta2: g2 }, /has the same delta as gamma/);
}

/** Returns the bytes with one bit changed. */
function flipped(bytes: Uint8Array): Uint8Array {
  return bytes.with(-1, bytes.at(-1)! ^ 1);
}
