/**
 * Solves a constraint system forwards: computes every wire whose value follows from the given wires. A
 * constraint a * b = c with known a and b is a linear equation in the unknown wires of c. The equations are
 * solved together, because the optimiser mixes the outputs of a round. The set of wires that the solution
 * finds depends only on which wires are given, so one run covers every witness.
 */
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { type Combination, constraintWires, evaluate, type R1cs } from "./r1cs.ts";

/** The result of {@linkcode propagate}. */
export interface Propagation {
  /** Values by wire; undefined where the constraints allow several values. */
  readonly witness: readonly (bigint | undefined)[];
  /** Constraints that defined no wire, because all of their wires followed from others. */
  readonly checks: readonly number[];
  /** The checks that the given values violate. */
  readonly broken: readonly number[];
}

/** Sum of coefficients times unknown wires = value. */
interface Equation {
  readonly terms: Map<number, bigint>;
  value: bigint;
}

/**
 * Solves `r1cs` from `given`, which need not contain wire 0, the constant 1.
 *
 * @param without index of a constraint to leave out
 */
export function propagate(r1cs: R1cs, given: ReadonlyMap<number, bigint>, without?: number): Propagation {
  const { constraints } = r1cs;
  const witness: (bigint | undefined)[] = Array.from({ length: r1cs.wires }, () => undefined);
  const [checks, broken]: [number[], number[]] = [[], []];
  const pivots = new Map<number, Equation>();

  // The unknown factors of each constraint, and the constraints that wait for each wire.
  const waiting = constraints.map(({ a, b }) => constraintWires({ a, b, c: new Map() }));
  const waitedForBy = Array.from({ length: r1cs.wires }, (): number[] => []);
  waiting.forEach((wires, row) => wires.forEach((wire) => waitedForBy[wire].push(row)));
  const ready: number[] = [];
  const learnt: number[] = [];

  const learn = (wire: number, value: bigint) => {
    witness[wire] = value;
    learnt.push(wire);
  };
  const settle = (row: number) => {
    const equation = equationOf(constraints[row], witness, pivots);
    if (equation.terms.size === 0) {
      checks.push(row);
      if (equation.value !== 0n) broken.push(row);
      return;
    }
    const [[pivot, coefficient]] = equation.terms;
    scale(equation, inverse(coefficient));
    for (const other of pivots.values()) eliminate(other, pivot, equation);
    pivots.set(pivot, equation);
    for (const [wire, { terms, value }] of pivots) {
      if (terms.size !== 1) continue;
      pivots.delete(wire);
      learn(wire, value);
    }
  };

  learn(0, 1n);
  for (const [wire, value] of given) learn(wire, value);
  while (learnt.length > 0 || ready.length > 0) {
    for (let wire = learnt.pop(); wire !== undefined; wire = learnt.pop()) {
      for (const row of waitedForBy[wire]) {
        waiting[row].delete(wire);
        if (waiting[row].size === 0) ready.push(row);
      }
    }
    const row = ready.pop();
    if (row !== undefined && row !== without) settle(row);
  }
  return { witness, checks, broken };
}

/** Returns c = a * b in the wires that are neither known nor expressed by others. */
function equationOf(
  { a, b, c }: { a: Combination; b: Combination; c: Combination },
  witness: readonly (bigint | undefined)[],
  pivots: ReadonlyMap<number, Equation>,
): Equation {
  const known = witness as readonly bigint[]; // a and b are known
  const equation: Equation = { terms: new Map(), value: evaluate(a, known) * evaluate(b, known) };
  for (const [wire, coefficient] of c) {
    const value = witness[wire];
    if (value === undefined) equation.terms.set(wire, coefficient);
    else equation.value -= coefficient * value;
  }
  equation.value = mod(equation.value);
  for (const wire of [...equation.terms.keys()]) {
    const pivot = pivots.get(wire);
    if (pivot) eliminate(equation, wire, pivot);
  }
  return equation;
}

/** Eliminates `wire` from an equation by another one in which its coefficient is 1. */
function eliminate(equation: Equation, wire: number, by: Equation): void {
  const factor = equation.terms.get(wire);
  if (factor === undefined) return;
  for (const [other, coefficient] of by.terms) {
    const left = mod((equation.terms.get(other) ?? 0n) - factor * coefficient);
    if (left === 0n) equation.terms.delete(other);
    else equation.terms.set(other, left);
  }
  equation.value = mod(equation.value - factor * by.value);
}

function scale(equation: Equation, factor: bigint): void {
  for (const [wire, coefficient] of equation.terms) equation.terms.set(wire, mod(coefficient * factor));
  equation.value = mod(equation.value * factor);
}

function mod(x: bigint): bigint {
  return ((x % FIELD_MODULUS) + FIELD_MODULUS) % FIELD_MODULUS;
}

/** Returns 1/x by Euclid's algorithm. x must not be 0. */
export function inverse(x: bigint): bigint {
  let [r0, r1, s0, s1] = [FIELD_MODULUS, mod(x), 0n, 1n];
  while (r1 !== 0n) {
    const quotient = r0 / r1;
    [r0, r1, s0, s1] = [r1, r0 - quotient * r1, s1, s0 - quotient * s1];
  }
  return mod(s0);
}
