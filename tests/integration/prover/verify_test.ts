import assert from "node:assert/strict";
import { withdrawProverInput } from "../../../testkit/circuits/prover_inputs.ts";
import { offSubgroupG1, offSubgroupG2 } from "../../support/prover/off_subgroup_points.ts";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import type { Groth16Proof } from "../../../src/core/crypto/groth16.ts";
import { BASE_FIELD_MODULUS } from "../../../src/core/crypto/proof_codec.ts";
import { createProver } from "../../../src/prover/prover.ts";

const [honest, other] = await makeProofs();
const { pi_a, pi_b, pi_c } = honest.proof;
const plus = (x: string, by: bigint) => String(BigInt(x) + by);
const minus = (y: string) => String(BASE_FIELD_MODULUS - BigInt(y));

/** Returns a proof with each coordinate altered in turn. */
function eachCoordinate(alter: (x: string) => string): Groth16Proof[] {
  const inPair = (pair: readonly string[], at: number) => pair.map((x, i) => i === at ? alter(x) : x);
  return [
    ...[0, 1].map((i) => ({ ...honest.proof, pi_a: inPair(pi_a, i) })),
    ...[0, 1, 2, 3].map((i) => ({
      ...honest.proof,
      pi_b: pi_b.map((pair, j) => j === i >> 1 ? inPair(pair, i & 1) : pair),
    })),
    ...[0, 1].map((i) => ({ ...honest.proof, pi_c: inPair(pi_c, i) })),
  ];
}

/**
 * Values that are not a proof of these signals, by the name of the attack. Some do not have the declared
 * type.
 */
const alteredProofs: [string, unknown[]][] = [
  ["a coordinate is one off", eachCoordinate((x) => plus(x, 1n))],
  ["a coordinate plus q", eachCoordinate((x) => plus(x, BASE_FIELD_MODULUS))],
  ["a coordinate is 2^384", eachCoordinate(() => String(1n << 384n))],
  ["a coordinate is negative", eachCoordinate((x) => `-${x}`)],
  ["a coordinate is empty", eachCoordinate(() => "")],
  ["a coordinate is no number", eachCoordinate(() => "1e3")],
  ["a coordinate is a megabyte of digits", eachCoordinate(() => "9".repeat(1 << 20))],
  ["A is negated", [{ ...honest.proof, pi_a: [pi_a[0], minus(pi_a[1]), "1"] }]],
  ["C is negated", [{ ...honest.proof, pi_c: [pi_c[0], minus(pi_c[1]), "1"] }]],
  ["a point is outside of its subgroup", [
    { ...honest.proof, pi_a: offSubgroupG1() },
    { ...honest.proof, pi_b: offSubgroupG2() },
    { ...honest.proof, pi_c: offSubgroupG1() },
  ]],
  ["a point is infinity", [
    { ...honest.proof, pi_a: ["0", "1", "0"] },
    { ...honest.proof, pi_a: ["0", "0", "1"] },
    { ...honest.proof, pi_b: [["0", "0"], ["1", "0"], ["0", "0"]] },
    { ...honest.proof, pi_b: [["0", "0"], ["0", "0"], ["1", "0"]] },
    { ...honest.proof, pi_c: ["0", "1", "0"] },
    { ...honest.proof, pi_c: ["0", "0", "1"] },
  ]],
  ["A and C are swapped", [{ ...honest.proof, pi_a: pi_c, pi_c: pi_a }]],
  ["the halves of B's coordinates are swapped", [
    { ...honest.proof, pi_b: pi_b.map(([c0, c1]) => [c1, c0]) },
    { ...honest.proof, pi_b: [[pi_b[0][1], pi_b[0][0]], [pi_b[1][1], pi_b[1][0]], ["1", "0"]] },
  ]],
  ["a point of another proof of the same statement", [
    { ...honest.proof, pi_a: other.proof.pi_a },
    { ...honest.proof, pi_b: other.proof.pi_b },
    { ...honest.proof, pi_c: other.proof.pi_c },
  ]],
  ["it is no proof at all", [{}, null, undefined, 1, "proof", [], { ...honest.proof, pi_b: null }]],
  ["it names another protocol or curve", [
    { ...honest.proof, protocol: "plonk" },
    { ...honest.proof, curve: "bn128" },
  ]],
];

const alteredSignals: [string, unknown][] = [
  ["one too few", honest.publicSignals.slice(0, 5)],
  ["one too many", [...honest.publicSignals, "0"]],
  ["none", []],
  ["no list", null],
  ["a number among them", honest.publicSignals.map((x, i) => i === 4 ? Number(x) : x)],
  ["two swapped", honest.publicSignals.map((_, i, all) => all[i === 2 ? 3 : i === 3 ? 2 : i])],
  ...honest.publicSignals.flatMap((signal, at): [string, string[]][] => {
    const altered = (x: string) => honest.publicSignals.map((y, i) => i === at ? x : y);
    return [
      [`signal ${at} one higher`, altered(plus(signal, 1n))],
      [`signal ${at} plus r`, altered(plus(signal, FIELD_MODULUS))],
      [`signal ${at} negative`, altered(`-${signal}`)],
      [`signal ${at} with a leading zero`, altered(`0${signal}`)],
      [`signal ${at} empty`, altered("")],
    ];
  }),
];

Deno.test("verify accepts the honest proofs, also without the projective coordinate", async () => {
  const prover = await createProver({ maxWorkers: 1 });
  for (const { proof, publicSignals } of [honest, other]) {
    assert.equal(await prover.verify("withdraw", proof, publicSignals), true);
    const affine = {
      ...proof,
      pi_a: proof.pi_a.slice(0, 2),
      pi_b: proof.pi_b.slice(0, 2),
      pi_c: proof.pi_c.slice(0, 2),
    };
    assert.equal(await prover.verify("withdraw", affine, publicSignals), true);
  }
  prover.close();
});

for (const [attack, proofs] of alteredProofs) {
  Deno.test(`verify refuses a proof when ${attack}, and never throws`, async () => {
    const prover = await createProver({ maxWorkers: 1 });
    for (const proof of proofs) {
      assert.equal(await prover.verify("withdraw", proof as Groth16Proof, honest.publicSignals), false);
    }
    assert.equal(await prover.verify("withdraw", honest.proof, honest.publicSignals), true);
    prover.close();
  });
}

Deno.test("verify refuses altered public signals, and never throws", async () => {
  const prover = await createProver({ maxWorkers: 1 });
  for (const [attack, signals] of alteredSignals) {
    assert.equal(await prover.verify("withdraw", honest.proof, signals as string[]), false, attack);
  }
  assert.equal(await prover.verify("deposit", honest.proof, honest.publicSignals), false);
  assert.equal(await prover.verify("deposit", honest.proof, honest.publicSignals.slice(0, 4)), false);
  prover.close();
});

/** Makes two proofs of the same statement. */
async function makeProofs() {
  const prover = await createProver({ maxWorkers: 2 });
  const proofs = await Promise.all(
    [withdrawProverInput(), withdrawProverInput()].map((input) => prover.proveWithdraw(input)),
  );
  prover.close();
  return proofs;
}
