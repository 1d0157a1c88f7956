import assert from "node:assert/strict";
import type { CircuitName } from "../../src/core/crypto/groth16.ts";
import { Problem } from "../../src/core/errors/problem.ts";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import { type CircuitInputs, computeWitness } from "../../src/prover/witness.ts";
import { type Attack, depositAttacks, withdrawAttacks } from "../support/circuits/circuit_attacks.ts";
import { honestDeposit, honestWithdrawal } from "../../testkit/circuits/circuit_inputs.ts";
import { parseWitness } from "../support/circuits/r1cs.ts";

const program = (name: CircuitName) =>
  new WebAssembly.Module(Deno.readFileSync(new URL(`../../artifacts/${name}.wasm`, import.meta.url)));
const source = (name: CircuitName) =>
  Deno.readTextFileSync(new URL(`../../circuits/${name}.circom`, import.meta.url)).split("\n");
const programs = { withdraw: program("withdraw"), deposit: program("deposit") };
const sources = { withdraw: source("withdraw"), deposit: source("deposit") };

/** The first leaf, the last one, and some between: all-left, all-right and mixed paths. */
const leaves = [0n, 1n, 0b1010_0110_1100_1001_0101n, (1n << 20n) - 2n, (1n << 20n) - 1n];

for (const leafIndex of leaves) {
  Deno.test(`withdraw accepts the note at leaf ${leafIndex}; wires 1 to 6 are its public signals`, () => {
    const honest = honestWithdrawal(leafIndex, leafIndex + 1n);
    const { root, nullifierHash, recipient, relayer, fee, refund } = honest;
    const witness = parseWitness(computeWitness(programs.withdraw, { ...honest }));
    assert.deepEqual(witness.slice(0, 7), [1n, root, nullifierHash, recipient, relayer, fee, refund]);
  });

  Deno.test(`deposit accepts a commitment at leaf ${leafIndex}; wires 1 to 4 are its public signals`, () => {
    const honest = honestDeposit(leafIndex, leafIndex + 1n);
    const { prevRoot, newRoot, commitment } = honest;
    const witness = parseWitness(computeWitness(programs.deposit, { ...honest }));
    assert.deepEqual(witness.slice(0, 5), [1n, prevRoot, newRoot, commitment, leafIndex]);
  });
}

Deno.test("withdraw accepts no relayer, no fee, no refund: zero is a value like any other", () => {
  const honest = { ...honestWithdrawal(3n), relayer: 0n, fee: 0n, refund: 0n };
  assert.deepEqual(parseWitness(computeWitness(programs.withdraw, honest)).slice(4, 7), [0n, 0n, 0n]);
});

refuses("withdraw", honestWithdrawal(0b0110n, 5n), withdrawAttacks);
refuses("deposit", honestDeposit(0b0110n, 5n), depositAttacks);

function refuses<Signals>(name: CircuitName, honest: Signals, attacks: readonly Attack<Signals>[]) {
  for (const { name: attack, alter, rejectedBy: refusedBy } of attacks) {
    Deno.test(`${name} refuses: ${attack}`, () => {
      const problem = problemOf(() => computeWitness(programs[name], alter(honest) as CircuitInputs));
      assert.equal(problem.code, "constraints_unsatisfied");
      const line = Number(/template \w+, line (\d+)$/.exec(problem.message)?.[1]);
      assert.equal(sources[name][line - 1].trim(), refusedBy);
    });
  }
}

for (const [name, honest] of [["withdraw", honestWithdrawal(9n)], ["deposit", honestDeposit(9n)]] as const) {
  for (const [signal, value] of Object.entries(honest) as [string, bigint | readonly bigint[]][]) {
    // snarkjs reduces instead, so a proof names the canonical value, and the pool refuses every other.
    Deno.test(`${name} refuses ${signal} plus r, and as a negative number`, () => {
      for (const shift of [FIELD_MODULUS, -FIELD_MODULUS]) {
        const other = typeof value === "bigint" ? value + shift : [value[0] + shift, ...value.slice(1)];
        const problem = problemOf(() => computeWitness(programs[name], { ...honest, [signal]: other }));
        assert.equal(problem.code, "not_in_field");
        assert.match(problem.message, new RegExp(`\\b${signal}\\b`));
      }
    });
  }
}

function problemOf(act: () => unknown): Problem {
  try {
    act();
  } catch (error) {
    assert(error instanceof Problem, String(error));
    return error;
  }
  assert.fail("it was accepted");
}
