/**
 * Solves a constraint system forwards: from the wires that are given, every wire that the constraints leave no choice.
 * A constraint a * b = c whose a and b are known is a linear equation in the unknown wires of c; such equations are solved
 * together, because the optimiser mixes the outputs of a round. What is found does not depend on the values given, only
 * on which wires are, so one run speaks for every witness.
 */
import { FIELD_MODULUS } from "../../src/core/field.ts";
import { type Combination, evaluate, type R1cs, wiresOf } from "./r1cs.ts";

/** What follows from the wires given. */
export interface Propagation {
  /** By wire; undefined where the constraints leave a choice. */
  readonly witness: readonly (bigint | undefined)[];
  /** Constraints that defined nothing: all their wires followed from others. */
  readonly checks: readonly number[];
  /** The checks that these values break. */
  readonly broken: readonly number[];
}

/** Sum of coefficients times unknown wires = value. */
interface Equation {
  readonly terms: Map<number, bigint>;
  value: bigint;
}

/**
 * Solves `r1cs` from `given` (wire 0, the constant 1, need not be).
 *
 * @param without index of a constraint that is left out
 */
export function propagate(r1cs: R1cs, given: ReadonlyMap<number, bigint>, without?: number): Propagation {
  const { constraints } = r1cs;
  const witness: (bigint | undefined)[] = Array.from({ length: r1cs.wires }, () => undefined);
  const [checks, broken]: [number[], number[]] = [[], []];
  const pivots = new Map<number, Equation>();

  // Factors that are unknown, by constraint; and the constraints that wait for a wire.
  const waiting = constraints.map(({ a, b }) => wiresOf({ a, b, c: new Map() }));
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

/** c = a * b, in the wires that are neither known nor expressed by others. */
function equationOf(
  { a, b, c }: { a: Combination; b: Combination; c: Combination },
  witness: readonly (bigint | undefined)[],
  pivots: ReadonlyMap<number, Equation>,
): Equation {
  const known = witness as readonly bigint[]; // of a and b, all is
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

/** Takes `wire` out of an equation by another, in which its coefficient is 1. */
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

/** By Euclid's algorithm; x is not 0. */
export function inverse(x: bigint): bigint {
  let [r0, r1, s0, s1] = [FIELD_MODULUS, mod(x), 0n, 1n];
  while (r1 !== 0n) {
    const quotient = r0 / r1;
    [r0, r1, s0, s1] = [r1, r0 - quotient * r1, s1, s0 - quotient * s1];
  }
  return mod(s0);
}
