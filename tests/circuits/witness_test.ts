import assert from "node:assert/strict";
import type { AnyCircuitName } from "../../src/core/crypto/groth16.ts";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import { type CircuitInputs, computeWitness, WitnessError } from "../../src/prover/witness.ts";
import {
  type Attack,
  depositAttacks,
  withdraw2Attacks,
  withdrawAttacks,
} from "../support/circuits/circuit_attacks.ts";
import { ATTACKED, settlementAttacks } from "../support/circuits/settlement_attacks.ts";
import {
  EMPTY_LEAF,
  honestDeposit,
  honestSettlement,
  honestWithdrawal,
  honestWithdrawal2,
  type SettlementSignals,
} from "../../testkit/circuits/circuit_inputs.ts";
import { parseWitness } from "../support/circuits/r1cs.ts";

const program = (name: AnyCircuitName) =>
  new WebAssembly.Module(Deno.readFileSync(new URL(`../../artifacts/${name}.wasm`, import.meta.url)));
const source = (name: AnyCircuitName) =>
  Deno.readTextFileSync(new URL(`../../circuits/${name}.circom`, import.meta.url)).split("\n");
const programs = {
  withdraw: program("withdraw"),
  deposit: program("deposit"),
  withdraw2: program("withdraw2"),
  settle16: program("settle16"),
};
const sources = {
  withdraw: source("withdraw"),
  deposit: source("deposit"),
  withdraw2: source("withdraw2"),
  settle16: source("settle16"),
};

/** The first leaf, the last one, and some between: all-left, all-right and mixed paths. */
const leaves = [0n, 1n, 0b1010_0110_1100_1001_0101n, (1n << 20n) - 2n, (1n << 20n) - 1n];

for (const leafIndex of leaves) {
  for (
    const [name, withdrawal] of [["withdraw", honestWithdrawal], ["withdraw2", honestWithdrawal2]] as const
  ) {
    Deno.test(`${name} accepts the note at leaf ${leafIndex}; wires 1 to 6 are its public signals`, () => {
      const honest = withdrawal(leafIndex, leafIndex + 1n);
      const { root, nullifierHash, recipient, relayer, fee, refund } = honest;
      const witness = parseWitness(computeWitness(programs[name], { ...honest }));
      assert.deepEqual(witness.slice(0, 7), [1n, root, nullifierHash, recipient, relayer, fee, refund]);
    });
  }

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

const settles = (honest: SettlementSignals) => {
  const { oldRoot, newRoot, span, settler, fresh } = honest;
  const witness = parseWitness(computeWitness(programs.settle16, { ...honest }));
  assert.deepEqual(witness.slice(0, 21), [1n, oldRoot, newRoot, span, settler, ...fresh]);
};

Deno.test("settle16 accepts all 136 fills of a chunk; wires 1 to 20 are its public signals", () => {
  let tried = 0;
  for (let first = 0; first < 16; first++) {
    for (let count = 1; first + count <= 16; count++, tried++) {
      settles(honestSettlement({ chunk: (4099 * first + 257 * count) % 65536, first, count }));
    }
  }
  assert.equal(tried, 136);
});

Deno.test("settle16 accepts a batch in the first chunk, in the last one and beside them", () => {
  for (const chunk of [0, 1, 32767, 32768, 65534, 65535]) {
    settles(honestSettlement({ chunk, first: 2, count: 14 }));
  }
});

Deno.test("settle16 accepts commitments of any value: 0, the empty leaf, r - 1, equal ones", () => {
  const values = [0n, EMPTY_LEAF, FIELD_MODULUS - 1n, 5n, 5n];
  for (const first of [0, 3]) {
    settles(honestSettlement({ chunk: 6, first, count: 8 }, 1n, (slot) => values[slot % values.length]));
  }
  const { oldRoot, newRoot } = honestSettlement({ chunk: 6, first: 3, count: 4 }, 1n, () => EMPTY_LEAF);
  assert.equal(newRoot, oldRoot);
});

Deno.test("settle16 ignores the leaves of slots that stay empty", () => {
  const honest = honestSettlement({ chunk: 6, first: 3, count: 4 });
  settles({ ...honest, leaves: honest.leaves.map((leaf, slot) => slot < 7 ? leaf : 1n) });
});

refuses("withdraw", honestWithdrawal(0b0110n, 5n), withdrawAttacks);
refuses("deposit", honestDeposit(0b0110n, 5n), depositAttacks);
refuses("withdraw2", honestWithdrawal2(0b0110n, 5n), withdraw2Attacks);
refuses("settle16", honestSettlement(ATTACKED, 5n), settlementAttacks);

function refuses<Signals>(name: AnyCircuitName, honest: Signals, attacks: readonly Attack<Signals>[]) {
  for (const { name: attack, alter, rejectedBy: refusedBy } of attacks) {
    Deno.test(`${name} refuses: ${attack}`, () => {
      const refusal = refusalOf(() => computeWitness(programs[name], alter(honest) as CircuitInputs));
      assert.equal(refusal.code, "constraints_unsatisfied");
      const line = Number(/template \w+, line (\d+)$/.exec(refusal.message)?.[1]);
      assert.equal(sources[name][line - 1].trim(), refusedBy);
    });
  }
}

for (
  const [name, honest] of [
    ["withdraw", honestWithdrawal(9n)],
    ["deposit", honestDeposit(9n)],
    ["withdraw2", honestWithdrawal2(9n)],
    ["settle16", honestSettlement(ATTACKED)],
  ] as const
) {
  for (const [signal, value] of Object.entries(honest) as [string, bigint | readonly bigint[]][]) {
    // snarkjs reduces the value instead. A proof therefore names the canonical value, and the pool refuses
    // every other one.
    Deno.test(`${name} refuses ${signal} plus r, and as a negative number`, () => {
      for (const shift of [FIELD_MODULUS, -FIELD_MODULUS]) {
        const other = typeof value === "bigint" ? value + shift : [value[0] + shift, ...value.slice(1)];
        const refusal = refusalOf(() => computeWitness(programs[name], { ...honest, [signal]: other }));
        assert.equal(refusal.code, "not_in_field");
        assert.match(refusal.message, new RegExp(`\\b${signal}\\b`));
      }
    });
  }
}

function refusalOf(act: () => unknown): WitnessError {
  try {
    act();
  } catch (error) {
    assert(error instanceof WitnessError, String(error));
    return error;
  }
  assert.fail("it was accepted");
}
