/**
 * Removes every constraint of every circuit, one at a time. Each check refuses an attack that no other
 * constraint refuses (circuit_faults_test.ts, settlement_faults_test.ts). Each other constraint defines one
 * wire. Without it, the private signals no longer determine one public signal, except for the squares that
 * prove nothing.
 */
import assert from "node:assert/strict";
import {
  type BatchPlace,
  honestDeposit,
  honestSettlement,
  honestWithdrawal,
  honestWithdrawal2,
  pathBits,
} from "../../testkit/circuits/circuit_inputs.ts";
import { propagate } from "../support/circuits/constraint_propagation.ts";
import { rowsThatDefine, solve } from "../support/circuits/constraint_sensitivity.ts";
import { openCircuit, type OpenedCircuit } from "../support/circuits/opened_circuit.ts";
import { constraintWires } from "../support/circuits/r1cs.ts";
import { ATTACKED, honestWords } from "../support/circuits/settlement_attacks.ts";

const place = (span: bigint): BatchPlace => ({
  chunk: Number(span >> 13n),
  first: Number(span >> 9n) % 16,
  count: Number(span % 512n),
});
const fresh = Array.from({ length: 16 }, (_, slot) => `fresh[${slot}]`);
const payment = ["recipientSquare", "relayerSquare", "feeSquare", "refundSquare"];

interface Case {
  readonly circuit: OpenedCircuit;
  /** The number of constraints that define each public signal that the other inputs determine. */
  readonly defines: Readonly<Record<string, number>>;
  /** Wires that no constraint reads. */
  readonly squares: readonly string[];
  /** The number of constraints that define no wire. */
  readonly checks: number;
}

const cases: readonly Case[] = [
  {
    circuit: await openCircuit("withdraw", { ...honestWithdrawal(6n, 5n) }, ["root", "nullifierHash"]),
    defines: { root: 4_997, nullifierHash: 213 },
    squares: payment,
    checks: 20,
  },
  {
    circuit: await openCircuit("withdraw2", { ...honestWithdrawal2(6n, 5n) }, ["root", "nullifierHash"]),
    defines: { root: 4_997, nullifierHash: 237 },
    squares: payment,
    checks: 20,
  },
  {
    circuit: await openCircuit(
      "deposit",
      { ...honestDeposit(6n, 5n) },
      ["prevRoot", "newRoot"],
      ({ leafIndex }) => ({ bits: pathBits(leafIndex as bigint) }),
    ),
    defines: { prevRoot: 4_760, newRoot: 4_760 },
    squares: [],
    checks: 20,
  },
  {
    circuit: await openCircuit(
      "settle16",
      { ...honestSettlement(ATTACKED, 5n) },
      ["oldRoot", "newRoot", ...fresh],
      ({ span }) => ({ ...honestWords(place(span as bigint)) }),
    ),
    defines: {
      oldRoot: 3_552 + 3_808 + 15,
      newRoot: 3_555 + 3_808 + 16,
      ...Object.fromEntries(fresh.map((signal) => [signal, 1])),
    },
    squares: ["settlerSquare"],
    checks: 91,
  },
];

for (const { circuit: { name, r1cs, wireOf, given, honest }, defines, squares, checks } of cases) {
  Deno.test(`${name}: without any one constraint but the checks and squares, one public signal can be false`, () => {
    const assigned = given(honest);
    const solved = propagate(r1cs, assigned);
    const solution = solve(r1cs, assigned.keys(), solved.witness as readonly bigint[]);
    const rest = new Set(r1cs.constraints.keys());
    const strike = (rows: Iterable<number>) => {
      for (const row of rows) assert.ok(rest.delete(row), `constraint ${row} has two roles`);
    };
    for (const [signal, count] of Object.entries(defines)) {
      const rows = rowsThatDefine(solution, new Map([[wireOf.get(`main.${signal}`)!, 1n]]));
      assert.equal(rows.size, count, signal);
      strike(rows);
    }
    assert.equal(solved.checks.length, checks);
    strike(solved.checks);
    const idle = [...rest].map((row) => constraintWires(r1cs.constraints[row]));
    assert.equal(idle.length, squares.length);
    for (const square of squares) {
      assert.ok(idle.some((wires) => wires.has(wireOf.get(`main.${square}`)!)), square);
    }
  });
}
