/** Verification computes an initial key again from the circuit and the powers of tau. */
import assert from "node:assert/strict";
import { makeInitialKey } from "../../../src/ops/ceremony/initial_key.ts";
import { checkInitialKey } from "../../../src/ops/ceremony/key_checks.ts";
import { G2_BYTES } from "../../../src/ops/ceremony/arithmetic/points.ts";
import { openPowersOfTau } from "../../../src/ops/ceremony/powers_of_tau.ts";
import { memorySource } from "../../../src/ops/ceremony/section_file.ts";
import { type Zkey } from "../../../src/ops/ceremony/zkey.ts";
import { tinyR1cs } from "../../../src/ops/ceremony/rehearsal/tiny_circuits.ts";
import { openTinyCeremony, swapPoints } from "../../support/ceremony/ceremony_fixture.ts";

Deno.test("an initial key that does not follow from circuit and powers is refused, section by section", async () => {
  await using tiny = await openTinyCeremony();
  const { arithmetic, ptau, r1cs } = tiny;
  const powers = await openPowersOfTau(memorySource(ptau));
  const key = await makeInitialKey(r1cs.withdraw, powers, arithmetic);
  await checkInitialKey(key, r1cs.withdraw, powers, arithmetic);
  for (const section of ["IC", "A", "B1", "L", "H"] as const) {
    const sections = { ...key.sections, [section]: swapPoints(key.sections[section]) };
    await assert.rejects(
      checkInitialKey({ ...key, sections }, r1cs.withdraw, powers, arithmetic),
      new RegExp(`section ${section} that does not follow`),
    );
  }
  const B2 = swapPoints(key.sections.B2, G2_BYTES);
  const others: [Partial<Zkey>, RegExp][] = [
    [{ sections: { ...key.sections, B2 } }, /section B2 that does not follow/],
    [
      { sections: { ...key.sections, coefficients: key.sections.coefficients.slice(0, -44) } },
      /another circuit/,
    ],
    [{ alpha1: key.beta1 }, /required alpha, beta, gamma and delta/],
    [{ circuitHash: new Uint8Array(64) }, /another circuit hash/],
  ];
  for (const [change, refusal] of others) {
    await assert.rejects(
      checkInitialKey({ ...key, ...change }, r1cs.withdraw, powers, arithmetic),
      refusal,
    );
  }
  await assert.rejects(
    checkInitialKey(key, tinyR1cs("withdraw", 8), powers, arithmetic),
    /another circuit/,
  );
});
