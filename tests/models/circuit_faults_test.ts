/**
 * The arguments of docs/circuits.md, checked on the constraint systems that keys are made for: a prover can
 * choose nothing freely, no constraint is superfluous, and each statement of the sources, if removed, lets
 * its attack pass.
 */
import assert from "node:assert/strict";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import { CIRCUITS_FOLDER } from "../../testkit/toolchain/circom.ts";
import {
  depositAttacks,
  forgeDeposit,
  forgeWithdrawal,
  version1Hash,
  version2Hash,
  withdraw2Attacks,
  withdrawAttacks,
} from "../support/circuits/circuit_attacks.ts";
import {
  EMPTY_LEAF,
  honestDeposit,
  honestWithdrawal,
  honestWithdrawal2,
  pathBits,
  TREE_LEVELS,
} from "../../testkit/circuits/circuit_inputs.ts";
import { inverse, propagate } from "../support/circuits/constraint_propagation.ts";
import {
  bitOf,
  forgeWithout,
  hasFalseSignal,
  openCircuit,
  testStruckOut,
} from "../support/circuits/opened_circuit.ts";
import { constraintWires, unsatisfiedConstraints } from "../support/circuits/r1cs.ts";

/**
 * The circuits with honest inputs. The lists name the public signals that the other inputs determine; bits
 * are hints.
 */
const circuits = {
  withdraw: await openCircuit("withdraw", { ...honestWithdrawal(6n, 5n) }, ["root", "nullifierHash"]),
  withdraw2: await openCircuit("withdraw2", { ...honestWithdrawal2(6n, 5n) }, ["root", "nullifierHash"]),
  deposit: await openCircuit(
    "deposit",
    { ...honestDeposit(6n, 5n) },
    ["prevRoot", "newRoot"],
    ({ leafIndex }) => ({ bits: pathBits(leafIndex as bigint) }),
  ),
};

for (const circuit of Object.values(circuits)) {
  const { name, r1cs, wireOf, given, honest, follow, valueOf } = circuit;
  const { witness, checks, broken: refused } = propagate(r1cs, given(honest));

  Deno.test(`${name}: every wire of the final constraints, ${follow.join(" and ")} included, follows from note, place and path`, () => {
    assert.deepEqual(witness.flatMap((value, wire) => value === undefined ? [wire] : []), []);
    assert.deepEqual(refused, []);
    for (const signal of follow) assert.equal(valueOf(witness, signal), honest[signal]);
  });

  Deno.test(`${name}: all constraints but the ${TREE_LEVELS} of the path's bits define one wire each, so none is idle`, () => {
    assert.equal(checks.length, TREE_LEVELS);
    const free = r1cs.wires - 1 - given(honest).size;
    assert.equal(r1cs.constraints.length, free + TREE_LEVELS);
  });

  Deno.test(`${name}: with any one constraint of a sample left out, a false witness satisfies all others`, () => {
    const full = witness as readonly bigint[];
    const idle = new Set(
      ["recipient", "relayer", "fee", "refund"].map((signal) => wireOf.get(`main.${signal}Square`)),
    );
    const squares = r1cs.constraints.flatMap((constraint, row) =>
      [...constraintWires(constraint)].some((wire) => idle.has(wire)) ? [row] : []
    );
    const step = Math.floor(r1cs.constraints.length / 7);
    const spread = Array.from({ length: 7 }, (_, i) => i * step).filter((row) => !checks.includes(row));
    for (const row of new Set([...spread, ...squares])) {
      const forged = forgeWithout(circuit, full, row);
      assert.ok(forged, `constraint ${row}`);
      assert.deepEqual(unsatisfiedConstraints(r1cs, forged), [r1cs.constraints[row]]);
      assert.notDeepEqual(forged, full);
      // A public signal is then false: the private signals do not lead to this root or hash. The squares
      // determine no signal.
      assert.equal(hasFalseSignal(circuit, forged), !squares.includes(row));
    }
  });
}

for (
  const [circuit, honest, hashOf] of [
    [circuits.withdraw, honestWithdrawal(6n, 5n), version1Hash],
    [circuits.withdraw2, honestWithdrawal2(6n, 5n), version2Hash],
  ] as const
) {
  Deno.test(`${circuit.name}: at every level, only one constraint refuses an invented note under the real root`, () => {
    const { r1cs, wireOf, given, valueOf } = circuit;
    for (let level = 0; level < TREE_LEVELS; level++) {
      const forged = { ...forgeWithdrawal(honest, level, hashOf) };
      const { witness, broken: refused } = propagate(r1cs, given(forged));
      assert.equal(valueOf(witness, "root"), honest.root);
      assert.equal(valueOf(witness, "nullifierHash"), forged.nullifierHash);
      assert.equal(refused.length, 1);
      const own = constraintWires(r1cs.constraints[refused[0]]);
      own.delete(0);
      assert.deepEqual([...own], [wireOf.get(`main.pathIndices[${level}]`)]);
    }
  });
}

Deno.test("deposit: the 20 checks say that 20 bits spell leafIndex, each with its own power of two", () => {
  const { r1cs, wireOf, given, honest } = circuits.deposit;
  const index = wireOf.get("main.leafIndex")!;
  const weights = new Map<number, bigint>();
  for (let i = 0; i < TREE_LEVELS; i++) {
    const wire = wireOf.get(`main.bits[${i}]`);
    if (wire !== undefined) weights.set(wire, 1n << BigInt(i));
  }
  const rows = propagate(r1cs, given(honest)).checks.map((row) => r1cs.constraints[row]);
  const forms = rows.map((row) => bitOf(r1cs, row)!);
  const single = forms.filter((form) => form.size === 1).map((form) => [...form][0]);
  assert.deepEqual(new Map(single), new Map([...weights.keys()].map((wire) => [wire, 1n])));
  // The one bit without a wire is the rest of leafIndex, divided by its weight.
  const [rest, ...others] = forms.filter((form) => form.size > 1);
  assert.equal(others.length, 0);
  const missing = inverse(rest.get(index)!);
  const spelled = new Map([...rest].map(([wire, k]) => [wire, k * missing % FIELD_MODULUS]));
  assert.equal(spelled.get(index), 1n);
  for (const [wire, weight] of weights) assert.equal(spelled.get(wire), FIELD_MODULUS - weight);
  assert.equal(spelled.size, TREE_LEVELS);
  const all = [...weights.values(), missing].sort((x, y) => x < y ? -1 : 1);
  assert.deepEqual(all, pathBits(0n).map((_, i) => 1n << BigInt(i)));
});

Deno.test("deposit: only one constraint refuses overwriting two leaves by a bit that is neither 0 nor 1", () => {
  const { r1cs, given, valueOf } = circuits.deposit;
  const { inputs, bits } = forgeDeposit(honestDeposit(6n, 5n));
  const { witness, broken: refused } = propagate(r1cs, given({ ...inputs }, { bits }));
  assert.deepEqual([valueOf(witness, "prevRoot"), valueOf(witness, "newRoot")], [
    inputs.prevRoot,
    inputs.newRoot,
  ]);
  assert.equal(refused.length, 1);
});

Deno.test("deposit: with any one of the bits' constraints left out, leafIndex has a second spelling", () => {
  const { r1cs, given, honest } = circuits.deposit;
  const { checks } = propagate(r1cs, given(honest));
  const unguarded = new Set<number>();
  for (let low = 0; low < TREE_LEVELS; low++) {
    // Another position: one bit is flipped, and a value that is not a bit compensates for it.
    const flipped = (low + 1) % TREE_LEVELS;
    const bits = pathBits(6n).with(flipped, 1n - pathBits(6n)[flipped]);
    const others = bits.reduce((sum, bit, i) => i === low ? sum : sum + (bit << BigInt(i)), 0n);
    const left = (6n - others + FIELD_MODULUS) % FIELD_MODULUS;
    const { broken: refused } = propagate(
      r1cs,
      given(honest, { bits: bits.with(low, left * inverse(1n << BigInt(low)) % FIELD_MODULUS) }),
    );
    assert.equal(refused.length, 1);
    unguarded.add(refused[0]);
  }
  assert.deepEqual([...unguarded].sort(), [...checks].sort());
});

/** An assignment without its constraint, or a missing check: the tests above must find each. */
const holes = [
  [
    "a square that is only hinted",
    "poseidon.circom",
    "signal square <== in * in;",
    "signal square <-- in * in;",
  ],
  ["a fifth power that is only hinted", "poseidon.circom", "out <== fourth * in;", "out <-- fourth * in;"],
  ["a side that is only hinted", "merkle.circom", "left <== current + swap;", "left <-- current + swap;"],
  ["bits that are none", "withdraw.circom", "pathIndices[i] * (pathIndices[i] - 1) === 0;", ""],
] as const;

for (const [hole, file, statement, replacement] of holes) {
  Deno.test(`planted in withdraw, this hole is found: ${hole}`, async () => {
    assert.ok((await Deno.readTextFile(new URL(file, CIRCUITS_FOLDER))).includes(statement));
    const { honest: inputs, follow } = circuits.withdraw;
    const change = { statement, replacement };
    const { r1cs, given, honest } = await openCircuit("withdraw", inputs, follow, undefined, change);
    const { witness, checks } = propagate(r1cs, given(honest));
    assert.ok(witness.includes(undefined) || checks.length !== TREE_LEVELS);
  });
}

Deno.test("deposit: the empty leaf's own value may be deposited, and changes no root", () => {
  const { given, valueOf, r1cs } = circuits.deposit;
  const { witness, broken: refused } = propagate(
    r1cs,
    given({ ...honestDeposit(6n, 5n), commitment: EMPTY_LEAF }),
  );
  assert.deepEqual(refused, []);
  assert.equal(valueOf(witness, "newRoot"), valueOf(witness, "prevRoot"));
});

testStruckOut("withdraw", honestWithdrawal(6n, 5n), withdrawAttacks);
testStruckOut("withdraw2", honestWithdrawal2(6n, 5n), withdraw2Attacks);
testStruckOut("deposit", honestDeposit(6n, 5n), depositAttacks);
