/** Compiles circuits, unchanged or with statements removed, for the tests of their soundness. */
import assert from "node:assert/strict";
import { type AnyCircuitName, publicSignalNames } from "../../../src/core/crypto/groth16.ts";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { type CircuitInputs, computeWitness, WitnessError } from "../../../src/prover/witness.ts";
import { compileCircuit, type CompiledCircuit } from "../../../testkit/toolchain/circom.ts";
import type { Attack } from "./circuit_attacks.ts";
import { inverse, propagate } from "./constraint_propagation.ts";
import {
  type Constraint,
  constraintWires,
  evaluate,
  parseR1cs,
  parseSymbols,
  parseWitness,
  type R1cs,
  unsatisfiedConstraints,
} from "./r1cs.ts";

/** A circuit and one honest assignment of its inputs. */
export interface OpenedCircuit {
  readonly name: AnyCircuitName;
  readonly honest: CircuitInputs;
  /** Public signals that follow from the other inputs. */
  readonly follow: readonly string[];
  readonly r1cs: R1cs;
  readonly wireOf: ReadonlyMap<string, number>;
  /**
   * Returns values by wire: these inputs without `follow`, and hints. By default the program computes the
   * hints.
   */
  readonly given: (inputs: CircuitInputs, hints?: CircuitInputs) => Map<number, bigint>;
  readonly valueOf: (witness: readonly (bigint | undefined)[], signal: string) => bigint | undefined;
}

/**
 * Compiles a circuit.
 *
 * @param hintsOf the signals that the circuit assigns with `<--`, for inputs
 * @param change a statement of a source, and what replaces it
 */
export async function openCircuit(
  name: AnyCircuitName,
  honest: CircuitInputs,
  follow: readonly string[],
  hintsOf: (inputs: CircuitInputs) => CircuitInputs = () => ({}),
  change?: { readonly statement: string; readonly replacement: string },
): Promise<OpenedCircuit> {
  const compiled = await compileCircuit(name, {
    change: change && ((source) => source.replace(change.statement, change.replacement)),
  });
  const [r1cs, wireOf] = [parseR1cs(compiled.r1cs), parseSymbols(compiled.symbols)];
  const given = (inputs: CircuitInputs, hints = hintsOf(inputs)) => {
    const values = new Map<number, bigint>();
    const put = (signal: string, value: bigint) => {
      const wire = wireOf.get(`main.${signal}`);
      if (wire !== undefined) values.set(wire, value);
    };
    for (const [signal, value] of Object.entries({ ...inputs, ...hints })) {
      if (typeof value === "bigint") {
        if (!follow.includes(signal)) put(signal, value);
      } else {
        (value as readonly bigint[]).forEach((item, i) => {
          if (!follow.includes(`${signal}[${i}]`)) put(`${signal}[${i}]`, item);
        });
      }
    }
    return values;
  };
  const valueOf = (witness: readonly (bigint | undefined)[], signal: string) =>
    witness[wireOf.get(`main.${signal}`)!];
  return { name, honest, follow, r1cs, wireOf, given, valueOf };
}

/** Returns the value of a signal such as `root` or `fresh[3]` in a circuit's inputs. */
export function inputValue(inputs: CircuitInputs, signal: string): bigint {
  const [, name, index] = /^(\w+)(?:\[(\d+)\])?$/.exec(signal)!;
  const value = inputs[name];
  return typeof value === "bigint" ? value : (value as readonly bigint[])[Number(index)];
}

/**
 * Returns a witness that satisfies every constraint but `row`: a wire that the constraint defines has another
 * value, and all other wires agree with it.
 */
export function forgeWithout(
  { r1cs, given, honest }: OpenedCircuit,
  honestWitness: readonly bigint[],
  row: number,
): bigint[] | undefined {
  const left = propagate(r1cs, given(honest), row).witness;
  for (const wire of r1cs.constraints[row].c.keys()) {
    if (left[wire] !== undefined) continue;
    const other = new Map(given(honest)).set(wire, (honestWitness[wire] + 1n) % FIELD_MODULUS);
    const found = propagate(r1cs, other, row);
    if (found.broken.length === 0 && found.witness.every((value) => value !== undefined)) {
      return found.witness as bigint[];
    }
  }
}

/** Returns whether a witness differs from the honest one in a public signal. */
export function hasFalseSignal(
  { name, honest, valueOf }: OpenedCircuit,
  witness: readonly bigint[],
): boolean {
  return publicSignalNames[name].some((signal) => valueOf(witness, signal) !== inputValue(honest, signal));
}

/** Returns the linear form x of a constraint x (x - 1) = 0, or undefined for another one. */
export function bitOf(r1cs: R1cs, { a, b, c }: Constraint): Map<number, bigint> | undefined {
  const wires = [...constraintWires({ a, b, c })].filter((wire) => wire !== 0);
  if ([...c.values()].some((k) => k !== 0n)) return undefined;
  const one = Array.from({ length: r1cs.wires }, () => 0n).with(0, 1n);
  const factors = [a, b].map((side) => ({ side, constant: evaluate(side, one) }));
  // One factor is a multiple of x, the other of x - 1. The constant of the second one gives its scale.
  const [zero, other] = factors[0].constant === 0n ? factors : [factors[1], factors[0]];
  if (zero.constant !== 0n || other.constant === 0n) return undefined;
  const scale = inverse(FIELD_MODULUS - other.constant);
  const form = new Map(wires.map((wire) => [wire, (other.side.get(wire) ?? 0n) * scale % FIELD_MODULUS]));
  if ([...form.values()].includes(0n)) return undefined;
  const ratio = (zero.side.get(wires[0]) ?? 0n) * inverse(form.get(wires[0])!) % FIELD_MODULUS;
  const multiple = wires.every((wire) =>
    (zero.side.get(wire) ?? 0n) === form.get(wire)! * ratio % FIELD_MODULUS
  );
  return multiple && ratio !== 0n ? form : undefined;
}

/**
 * Removes each statement that refuses an attack from the sources, one at a time, and tests that an attack
 * then passes.
 */
export function testStruckOut<Signals>(
  name: AnyCircuitName,
  honest: Signals,
  attacks: readonly Attack<Signals>[],
): void {
  for (const statement of new Set(attacks.map(({ rejectedBy }) => rejectedBy))) {
    Deno.test(`${name} without "${statement}" lets an attack through`, async () => {
      const open = await compileCircuit(name, { change: (source) => source.replace(statement, "") });
      const own = attacks.filter(({ rejectedBy }) => rejectedBy === statement);
      assert.ok(own.some(({ alter }) => accepts(open, alter(honest) as CircuitInputs)));
    });
  }
}

function accepts({ wasm, r1cs }: CompiledCircuit, inputs: CircuitInputs): boolean {
  try {
    return unsatisfiedConstraints(parseR1cs(r1cs), parseWitness(computeWitness(wasm, inputs))).length === 0;
  } catch (error) {
    if (error instanceof WitnessError && error.code === "constraints_unsatisfied") return false;
    throw error;
  }
}
