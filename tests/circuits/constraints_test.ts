import assert from "node:assert/strict";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import { type AnyCircuitName, publicSignalNames } from "../../src/core/crypto/groth16.ts";
import { type CircuitInputs, computeWitness } from "../../src/prover/witness.ts";
import { compileCircuit } from "../../testkit/toolchain/circom.ts";
import {
  type Attack,
  depositAttacks,
  withdraw2Attacks,
  withdrawAttacks,
} from "../support/circuits/circuit_attacks.ts";
import { ATTACKED, settlementAttacks } from "../support/circuits/settlement_attacks.ts";
import {
  honestDeposit,
  honestSettlement,
  honestWithdrawal,
  honestWithdrawal2,
} from "../../testkit/circuits/circuit_inputs.ts";
import {
  type Constraint,
  constraintWires,
  determinedWires,
  evaluate,
  isSatisfied,
  parseR1cs,
  parseSymbols,
  parseWitness,
  type R1cs,
  unsatisfiedConstraints,
} from "../support/circuits/r1cs.ts";

// Attacks run on programs without their `===` statements. These compute what an attacker would: each signal
// agrees with the altered inputs, so only the constraints can refuse the result.
const strikeAssertionsOut = (source: string) => source.replaceAll(/^.*===.*$/gm, "");
const [withdraw, deposit, withdraw2, settle16] = await Promise.all([
  compile("withdraw", honestWithdrawal(0b0110n, 5n)),
  compile("deposit", honestDeposit(0b0110n, 5n)),
  compile("withdraw2", honestWithdrawal2(0b0110n, 5n)),
  compile("settle16", honestSettlement(ATTACKED, 5n)),
]);

interface Circuit<Signals> {
  readonly name: AnyCircuitName;
  readonly r1cs: R1cs;
  readonly wireOf: ReadonlyMap<string, number>;
  /** The constraint system before simplification and without the `===` statements: it defines each signal. */
  readonly definitions: R1cs;
  readonly definedWireOf: ReadonlyMap<string, number>;
  readonly honest: Signals;
  readonly witness: readonly bigint[];
  /** Returns the witness that an attacker would compute from these inputs. */
  readonly attempt: (inputs: Signals) => bigint[];
}

async function compile<Signals>(name: AnyCircuitName, honest: Signals): Promise<Circuit<Signals>> {
  const real = await compileCircuit(name);
  const struck = await compileCircuit(name, { change: strikeAssertionsOut, simplify: "--O0" });
  const [wireOf, definedWireOf] = [parseSymbols(real.symbols), parseSymbols(struck.symbols)];
  const attempt = (inputs: Signals) => {
    const signals = parseWitness(computeWitness(struck.wasm, inputs as CircuitInputs));
    const witness = [1n];
    for (const [signal, wire] of wireOf) witness[wire] = signals[definedWireOf.get(signal)!];
    return witness;
  };
  const witness = parseWitness(computeWitness(real.wasm, honest as CircuitInputs));
  const [r1cs, definitions] = [parseR1cs(real.r1cs), parseR1cs(struck.r1cs)];
  return { name, r1cs, wireOf, definitions, definedWireOf, honest, witness, attempt };
}

const shape = {
  withdraw: { constraints: 5234, publicInputs: 6, privateInputs: 42, wires: 5261 },
  deposit: { constraints: 9540, publicInputs: 4, privateInputs: 20, wires: 9562 },
  withdraw2: { constraints: 5258, publicInputs: 6, privateInputs: 42, wires: 5285 },
  settle16: { constraints: 14862, publicInputs: 20, privateInputs: 32, wires: 14852 },
};
/**
 * Constraints of a hash of this many inputs: 3 per S-box, except for the capacity element of the first round,
 * a constant.
 */
const ofHash = (inputs: number) => 3 * (8 * (inputs + 1) + 56) - 3;
const ofPath = 20 * (ofHash(2) + 1);

Deno.test("the numbers of constraints equal those of the circuits' parts and of the documents", async () => {
  assert.equal(shape.withdraw.constraints, ofHash(1) + ofHash(2) + ofPath + 20 + 4);
  assert.equal(shape.deposit.constraints, 2 * ofPath + 20);
  assert.equal(shape.withdraw2.constraints, 2 * ofHash(2) + ofPath + 20 + 4);
  const [onWords, onSlots] = [16 + 15 + 16 + 14 + 15 + 15, 15 + 16 + 16];
  const [ofChunks, ofPaths] = [2 * 15 * ofHash(2) - 3, 2 * 16 * (ofHash(2) + 1)];
  assert.equal(shape.settle16.constraints, ofChunks + ofPaths + onWords + onSlots + 1);
  const written = (count: number) => count.toLocaleString("en-US");
  const parts = [ofHash(1), ofHash(2), ofHash(2) + 1, ofPath].map(written);
  const totals = Object.values(shape).map(({ constraints }) => written(constraints));
  for (
    const [page, numbers] of [["docs/circuits.md", [...parts, ...totals]], [
      "circuits/README.md",
      totals,
    ]] as const
  ) {
    const text = await Deno.readTextFile(new URL(`../../${page}`, import.meta.url));
    for (const number of numbers) assert.match(text, new RegExp(`(?<![\\d,])${number}(?![\\d,])`), page);
  }
});

Deno.test("x^5 is a permutation of the field: 5 does not divide r - 1", () => {
  assert.notEqual((FIELD_MODULUS - 1n) % 5n, 0n);
});

for (const { name, r1cs, wireOf } of [withdraw, deposit, withdraw2, settle16]) {
  Deno.test(`${name} has ${shape[name].constraints} constraints over the field of BLS12-381`, () => {
    const { prime, publicOutputs, constraints, publicInputs, privateInputs, wires } = r1cs;
    assert.equal(prime, FIELD_MODULUS);
    assert.deepEqual(
      { constraints: constraints.length, publicInputs, privateInputs, wires },
      shape[name],
    );
    assert.equal(publicOutputs, 0);
  });

  Deno.test(`${name} has its public signals in the protocol's order, and no other`, () => {
    const order = [...wireOf].filter(([, wire]) => wire >= 1 && wire <= r1cs.publicInputs);
    order.sort(([, a], [, b]) => a - b);
    assert.deepEqual(
      order.map(([signal]) => signal),
      publicSignalNames[name].map((signal) => `main.${signal}`),
    );
  });
}

constraintsRefuse(withdraw, withdrawAttacks);
constraintsRefuse(deposit, depositAttacks);
constraintsRefuse(withdraw2, withdraw2Attacks);
// The batch ends before slot 8, and no constraint reads the leaves after it.
constraintsRefuse(
  settle16,
  settlementAttacks,
  [8, 9, 10, 11, 12, 13, 14, 15].map((slot) => `main.leaves[${slot}]`),
);

function constraintsRefuse<Signals>(
  circuit: Circuit<Signals>,
  attacks: readonly Attack<Signals>[],
  unread: readonly string[] = [],
) {
  const { name, r1cs, wireOf, honest, witness, attempt } = circuit;
  Deno.test(`${name}: an honest witness satisfies every constraint, and the attacker's program computes the same one`, () => {
    assert.deepEqual(unsatisfiedConstraints(r1cs, witness), []);
    assert.deepEqual(attempt(honest), witness);
  });

  for (const { name: attack, alter } of attacks) {
    Deno.test(`${name}: the constraints themselves refuse: ${attack}`, () => {
      assert.notEqual(unsatisfiedConstraints(r1cs, attempt(alter(honest))).length, 0);
    });
  }

  Deno.test(`${name}: no wire of an honest witness can be changed alone`, () => {
    const mentions = Array.from({ length: r1cs.wires }, (): Constraint[] => []);
    for (const constraint of r1cs.constraints) {
      for (const wire of constraintWires(constraint)) mentions[wire].push(constraint);
    }
    const free = new Set<number>();
    for (let wire = 0; wire < r1cs.wires; wire++) {
      const altered = [...witness];
      for (const value of [witness[wire] ^ 1n, (witness[wire] + 2n) % FIELD_MODULUS]) {
        altered[wire] = value;
        if (mentions[wire].every((constraint) => isSatisfied(constraint, altered))) free.add(wire);
      }
    }
    assert.deepEqual(free, new Set(unread.map((signal) => wireOf.get(signal)!)));
  });
}

for (const { name, definitions, definedWireOf } of [withdraw, deposit, withdraw2, settle16]) {
  Deno.test(`${name}: every signal follows from the inputs: a prover chooses nothing`, () => {
    const inputs = 1 + definitions.publicInputs + definitions.privateInputs;
    const known = Array.from({ length: inputs }, (_, wire) => wire);
    // Bits and words are hints. Other tests show that each has only one spelling.
    for (const [signal, wire] of definedWireOf) {
      if (/^main\.(bits|chunkBits|isOld|isFilled)\[/.test(signal)) known.push(wire);
    }
    assert.equal(determinedWires(definitions, known).size, definitions.wires);
  });
}

for (const [circuit, attacks] of [[withdraw, withdrawAttacks], [withdraw2, withdraw2Attacks]] as const) {
  const { name } = circuit;

  Deno.test(`${name}: only one constraint refuses an invented note under a real root`, () => {
    const { r1cs, wireOf, honest, attempt } = circuit;
    const bend = attacks.find(({ name: attack }) => attack.startsWith("invented note"))!;
    const [only, ...others] = unsatisfiedConstraints(r1cs, attempt(bend.alter(honest)));
    assert.deepEqual(others, []);
    assert.deepEqual([...constraintWires(only)].filter((wire) => wire !== 0), [
      wireOf.get("main.pathIndices[0]"),
    ]);
  });

  Deno.test(`${name}: each of the 20 path bits has a constraint of its own that holds for 0 and 1 only`, () => {
    const { r1cs, wireOf, witness } = circuit;
    for (let level = 0; level < 20; level++) {
      const wire = wireOf.get(`main.pathIndices[${level}]`)!;
      const own = r1cs.constraints.filter((constraint) =>
        [...constraintWires(constraint)].every((other) => other === 0 || other === wire)
      );
      assert.equal(own.length, 1);
      // A product of two linear factors has at most two roots, so 0 and 1 are all of its roots.
      const values = [0n, 1n, 2n, FIELD_MODULUS - 1n, (FIELD_MODULUS + 1n) / 2n];
      const held = values.filter((value) =>
        isSatisfied(own[0], witness.map((old, i) => i === wire ? value : old))
      );
      assert.deepEqual(held, [0n, 1n]);
    }
  });
}

const payment = ["recipient", "relayer", "fee", "refund"];
for (
  const [circuit, signals] of [[withdraw, payment], [withdraw2, payment], [settle16, ["settler"]]] as const
) {
  Deno.test(`${circuit.name}: ${signals.join(", ")} are each squared in a constraint of their own`, () => {
    const { r1cs, wireOf, witness } = circuit;
    for (const signal of signals) {
      const [wire, square] = [wireOf.get(`main.${signal}`)!, wireOf.get(`main.${signal}Square`)!];
      const own = r1cs.constraints.filter((constraint) => constraintWires(constraint).has(wire));
      assert.equal(own.length, 1);
      assert.deepEqual(constraintWires(own[0]), new Set([wire, square]));
      assert.equal(evaluate(own[0].a, witness) ** 2n % FIELD_MODULUS, witness[square]);
    }
  });
}

Deno.test("deposit: leafIndex has one spelling: no two bits can be changed together", () => {
  const { r1cs, wireOf, witness } = deposit;
  const index = wireOf.get("main.leafIndex")!;
  const bits = [...wireOf].filter(([signal]) => signal.startsWith("main.bits[")).map(([signal, wire]) => ({
    wire,
    weight: 1n << BigInt(/\d+/.exec(signal)![0]),
  }));
  // The optimiser may write one bit as leafIndex minus the others.
  assert(bits.length >= 19);
  const known = new Set([0, index, ...bits.map(({ wire }) => wire)]);
  const spelling = r1cs.constraints.filter((constraint) =>
    [...constraintWires(constraint)].every((wire) => known.has(wire))
  );
  assert.equal(spelling.length, 20);
  for (const low of bits) {
    for (const high of bits) {
      if (low.weight >= high.weight) continue;
      // `high` increases by one and `low` decreases by as much, so the sum stays the same.
      const altered = [...witness];
      altered[high.wire] += 1n;
      altered[low.wire] = (altered[low.wire] + FIELD_MODULUS - high.weight / low.weight) % FIELD_MODULUS;
      assert(spelling.some((constraint) => !isSatisfied(constraint, altered)));
    }
  }
});
