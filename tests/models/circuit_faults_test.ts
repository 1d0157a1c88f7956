/**
 * What docs/circuits.md argues, shown on the very constraint systems that keys are made for: nothing is left to a prover's
 * choice, no constraint is idle, and each statement of the sources, struck out, lets its attack through.
 */
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { Problem } from "../../src/core/errors/problem.ts";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import { type CircuitName, publicSignalNames } from "../../src/core/crypto/groth16.ts";
import { type CircuitInputs, computeWitness } from "../../src/prover/witness.ts";
import { CIRCUITS_FOLDER, compileCircuit, type CompiledCircuit } from "../../testkit/toolchain/circom.ts";
import {
  type Attack,
  depositAttacks,
  forgeDeposit,
  forgeWithdrawal,
  withdrawAttacks,
} from "../support/circuits/circuit_attacks.ts";
import {
  EMPTY_LEAF,
  honestDeposit,
  honestWithdrawal,
  pathBits,
  TREE_LEVELS,
} from "../../testkit/circuits/circuit_inputs.ts";
import { inverse, propagate } from "../support/circuits/constraint_propagation.ts";
import {
  type Constraint,
  constraintWires,
  evaluate,
  parseR1cs,
  parseSymbols,
  parseWitness,
  unsatisfiedConstraints,
} from "../support/circuits/r1cs.ts";

const folder = await Deno.makeTempDir({ prefix: "tonado-soundness-" });
const at = (path: string) => pathToFileURL(`${folder}/${path}/`);
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

/** Place and note: their hints for the bits, and public signals that must follow, are not among them. */
const circuits = {
  withdraw: await open("withdraw", { ...honestWithdrawal(6n, 5n) }, ["root", "nullifierHash"]),
  deposit: await open("deposit", { ...honestDeposit(6n, 5n) }, ["prevRoot", "newRoot"]),
};

async function open(
  name: CircuitName,
  honest: CircuitInputs,
  follow: readonly string[],
  label: string = name,
) {
  const source = label === name ? CIRCUITS_FOLDER : at(`${label}-source`);
  const compiled = await compileCircuit(name, { source, out: at(label) });
  const [r1cs, wireOf] = [parseR1cs(compiled.r1cs), parseSymbols(compiled.symbols)];
  /** Values by wire of these inputs, without the public signals that follow from the others. */
  const given = (inputs: CircuitInputs, bits?: readonly bigint[]) => {
    const values = new Map<number, bigint>();
    const put = (signal: string, value: bigint) => {
      const wire = wireOf.get(`main.${signal}`);
      if (wire !== undefined) values.set(wire, value);
    };
    for (const [signal, value] of Object.entries(inputs)) {
      if (follow.includes(signal)) continue;
      if (typeof value === "bigint") put(signal, value);
      else (value as readonly bigint[]).forEach((item, i) => put(`${signal}[${i}]`, item));
    }
    if (name === "deposit") {
      (bits ?? pathBits(inputs.leafIndex as bigint)).forEach((bit, i) => put(`bits[${i}]`, bit));
    }
    return values;
  };
  const valueOf = (witness: readonly (bigint | undefined)[], signal: string) =>
    witness[wireOf.get(`main.${signal}`)!];
  return { name, honest, follow, r1cs, wireOf, given, valueOf };
}

for (const { name, r1cs, wireOf, given, honest, follow, valueOf } of Object.values(circuits)) {
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
      const forged = forge(row);
      assert.ok(forged, `constraint ${row}`);
      assert.deepEqual(unsatisfiedConstraints(r1cs, forged), [r1cs.constraints[row]]);
      assert.notDeepEqual(forged, full);
      // What is public is then false: a root or a hash that the private signals do not lead to. Only the squares say nothing.
      const lies = publicSignalNames[name].some((signal) => valueOf(forged, signal) !== honest[signal]);
      assert.equal(lies, !squares.includes(row));
    }

    /** Another value for a wire that the constraint defines, and everything else in agreement with it. */
    function forge(row: number): bigint[] | undefined {
      const left = propagate(r1cs, given(honest), row).witness;
      for (const wire of r1cs.constraints[row].c.keys()) {
        if (left[wire] !== undefined) continue;
        const other = new Map(given(honest)).set(wire, (full[wire] + 1n) % FIELD_MODULUS);
        const found = propagate(r1cs, other, row);
        if (found.broken.length === 0 && found.witness.every((value) => value !== undefined)) {
          return found.witness as bigint[];
        }
      }
    }
  });
}

Deno.test("withdraw: at every level one constraint alone keeps an invented note from being bent under the real root", () => {
  const { r1cs, wireOf, given, honest, valueOf } = circuits.withdraw;
  for (let level = 0; level < TREE_LEVELS; level++) {
    const forged = { ...forgeWithdrawal(honestWithdrawal(6n, 5n), level) };
    const { witness, broken: refused } = propagate(r1cs, given(forged));
    assert.equal(valueOf(witness, "root"), honest.root);
    assert.equal(refused.length, 1);
    const own = constraintWires(r1cs.constraints[refused[0]]);
    own.delete(0);
    assert.deepEqual([...own], [wireOf.get(`main.pathIndices[${level}]`)]);
  }
});

Deno.test("deposit: the 20 checks say that 20 bits spell leafIndex, each with its own power of two", () => {
  const { r1cs, wireOf, given, honest } = circuits.deposit;
  const index = wireOf.get("main.leafIndex")!;
  const weights = new Map<number, bigint>();
  for (let i = 0; i < TREE_LEVELS; i++) {
    const wire = wireOf.get(`main.bits[${i}]`);
    if (wire !== undefined) weights.set(wire, 1n << BigInt(i));
  }
  const rows = propagate(r1cs, given(honest)).checks.map((row) => r1cs.constraints[row]);
  const forms = rows.map(bitOf);
  const single = forms.filter((form) => form.size === 1).map((form) => [...form][0]);
  assert.deepEqual(new Map(single), new Map([...weights.keys()].map((wire) => [wire, 1n])));
  // The one bit that has no wire is what is left of leafIndex, over its weight.
  const [rest, ...others] = forms.filter((form) => form.size > 1);
  assert.equal(others.length, 0);
  const missing = inverse(rest.get(index)!);
  const spelled = new Map([...rest].map(([wire, k]) => [wire, k * missing % FIELD_MODULUS]));
  assert.equal(spelled.get(index), 1n);
  for (const [wire, weight] of weights) assert.equal(spelled.get(wire), FIELD_MODULUS - weight);
  assert.equal(spelled.size, TREE_LEVELS);
  const all = [...weights.values(), missing].sort((x, y) => x < y ? -1 : 1);
  assert.deepEqual(all, pathBits(0n).map((_, i) => 1n << BigInt(i)));

  /** The linear form x of a constraint that says x (x - 1) = 0 and nothing else. */
  function bitOf(constraint: Constraint): Map<number, bigint> {
    const wires = [...constraintWires(constraint)].filter((wire) => wire !== 0);
    const probe = Array.from({ length: r1cs.wires }, () => 0n);
    probe[0] = 1n;
    const factors = [constraint.a, constraint.b].map((side) => {
      const constant = evaluate(side, probe);
      const linear = new Map(wires.map((wire) => [wire, side.get(wire) ?? 0n]));
      return { constant, linear };
    });
    assert.equal([...constraint.c.values()].filter((k) => k !== 0n).length, 0);
    // One factor is a multiple of x, the other of x - 1: the second's constant gives its scale.
    const [zero, one] = factors[0].constant === 0n ? factors : [factors[1], factors[0]];
    assert.equal(zero.constant, 0n);
    const scale = inverse(FIELD_MODULUS - one.constant);
    const form = new Map([...one.linear].map(([wire, k]) => [wire, k * scale % FIELD_MODULUS]));
    const ratio = zero.linear.get(wires[0])! * inverse(form.get(wires[0])!) % FIELD_MODULUS;
    for (const [wire, k] of form) assert.equal(zero.linear.get(wire), k * ratio % FIELD_MODULUS);
    return form;
  }
});

Deno.test("deposit: one constraint alone keeps two leaves from being overwritten by a bit that is no bit", () => {
  const { r1cs, given, valueOf } = circuits.deposit;
  const { inputs, bits } = forgeDeposit(honestDeposit(6n, 5n));
  const { witness, broken: refused } = propagate(r1cs, given({ ...inputs }, bits));
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
    // Another place: one bit of it flipped, and made good for by a bit that is none.
    const flipped = (low + 1) % TREE_LEVELS;
    const bits = pathBits(6n).with(flipped, 1n - pathBits(6n)[flipped]);
    const others = bits.reduce((sum, bit, i) => i === low ? sum : sum + (bit << BigInt(i)), 0n);
    const left = (6n - others + FIELD_MODULUS) % FIELD_MODULUS;
    const { broken: refused } = propagate(
      r1cs,
      given(honest, bits.with(low, left * inverse(1n << BigInt(low)) % FIELD_MODULUS)),
    );
    assert.equal(refused.length, 1);
    unguarded.add(refused[0]);
  }
  assert.deepEqual([...unguarded].sort(), [...checks].sort());
});

/** An assignment that forgets its constraint, or a check that is left out: what the tests above are there to find. */
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
    const label = `hole-${hole.replaceAll(" ", "-")}`;
    await copyWithout(CIRCUITS_FOLDER, at(`${label}-source`), statement, replacement);
    const source = new URL(file, at(`${label}-source`));
    assert.ok(!(await Deno.readTextFile(source)).includes(statement));
    const { r1cs, given, honest } = await open(
      "withdraw",
      circuits.withdraw.honest,
      circuits.withdraw.follow,
      label,
    );
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

struckOut("withdraw", honestWithdrawal(6n, 5n), withdrawAttacks);
struckOut("deposit", honestDeposit(6n, 5n), depositAttacks);

/** Each statement that refuses an attack, taken out of the sources alone, and the circuit compiled without it. */
function struckOut<Signals>(name: CircuitName, honest: Signals, attacks: readonly Attack<Signals>[]) {
  for (const statement of new Set(attacks.map(({ rejectedBy: refusedBy }) => refusedBy))) {
    Deno.test(`${name} without "${statement}" lets an attack through`, async () => {
      const label = `${name}-${[...statement].filter((c) => /\w/.test(c)).join("")}`;
      await copyWithout(CIRCUITS_FOLDER, at(`${label}-source`), statement);
      const open = await compileCircuit(name, { source: at(`${label}-source`), out: at(label) });
      const own = attacks.filter(({ rejectedBy: refusedBy }) => refusedBy === statement);
      assert.ok(own.some(({ alter }) => accepts(open, alter(honest) as CircuitInputs)));
    });
  }
}

function accepts({ wasm, r1cs }: CompiledCircuit, inputs: CircuitInputs): boolean {
  try {
    return unsatisfiedConstraints(parseR1cs(r1cs), parseWitness(computeWitness(wasm, inputs))).length === 0;
  } catch (error) {
    if (error instanceof Problem && error.code === "constraints_unsatisfied") return false;
    throw error;
  }
}

async function copyWithout(from: URL, to: URL, statement: string, replacement = "") {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) {
      await copyWithout(new URL(`${name}/`, from), new URL(`${name}/`, to), statement, replacement);
    }
    if (!name.endsWith(".circom")) continue;
    const source = await Deno.readTextFile(new URL(name, from));
    await Deno.writeTextFile(new URL(name, to), source.replace(statement, replacement));
  }
}
