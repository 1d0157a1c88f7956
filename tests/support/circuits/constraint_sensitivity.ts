/**
 * Finds the values that become free when a constraint is removed. Solves a constraint system forwards, as
 * propagate does, and then differentiates backwards: the derivative of a public signal by an error in each
 * constraint, in one pass.
 *
 * If the derivative is not 0, the signal is not constant in the wire that the constraint defines, so a
 * witness with another value of the signal satisfies all other constraints.
 */
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { inverse } from "./constraint_propagation.ts";
import { type Combination, constraintWires, evaluate, type R1cs } from "./r1cs.ts";

type Terms = Map<number, bigint>;

/** Sum of coefficients times unknown wires = a sum of coefficients times a * b - (known part of c), by row. */
interface Equation {
  readonly terms: Terms;
  readonly rows: Terms;
}

/** A step of the solution: a row is read when its factors are known, or a wire follows from rows. */
type Step = { readonly row: number; readonly known: Terms } | { readonly wire: number; readonly rows: Terms };

/** The steps that solve a system; they do not depend on the values. */
export interface Solution {
  readonly r1cs: R1cs;
  readonly witness: readonly bigint[];
  readonly steps: readonly Step[];
}

/**
 * Orders the constraints so that each step needs only earlier ones. @param witness values that satisfy the
 * constraints
 */
export function solve(r1cs: R1cs, given: Iterable<number>, witness: readonly bigint[]): Solution {
  const { constraints } = r1cs;
  const waiting = constraints.map(({ a, b }) => constraintWires({ a, b, c: new Map() }));
  const waitedForBy = Array.from({ length: r1cs.wires }, (): number[] => []);
  waiting.forEach((wires, row) => wires.forEach((wire) => waitedForBy[wire].push(row)));
  const known = new Set<number>();
  const pivots = new Map<number, Equation>();
  const steps: Step[] = [];
  const ready: number[] = waiting.flatMap((wires, row) => wires.size === 0 ? [row] : []);

  const learn = (wire: number) => {
    known.add(wire);
    for (const row of waitedForBy[wire]) {
      waiting[row].delete(wire);
      if (waiting[row].size === 0) ready.push(row);
    }
  };
  for (const wire of new Set([0, ...given])) learn(wire);
  for (let row = ready.pop(); row !== undefined; row = ready.pop()) {
    const parts = Map.groupBy(constraints[row].c, ([wire]) => known.has(wire));
    steps.push({ row, known: new Map(parts.get(true)) });
    const equation = { terms: new Map(parts.get(false)), rows: new Map([[row, 1n]]) };
    for (const wire of [...equation.terms.keys()]) subtract(equation, wire, pivots.get(wire));
    if (equation.terms.size === 0) continue; // a check
    const [[pivot, coefficient]] = equation.terms;
    scale(equation, inverse(coefficient));
    for (const other of pivots.values()) subtract(other, pivot, equation);
    pivots.set(pivot, equation);
    for (const [wire, { terms, rows }] of pivots) {
      if (terms.size !== 1) continue;
      pivots.delete(wire);
      steps.push({ wire, rows });
      learn(wire);
    }
  }
  return { r1cs, witness, steps };
}

/** Returns the rows in which an error changes the sum of coefficients times `signals`, to first order. */
export function rowsThatDefine({ r1cs, witness, steps }: Solution, signals: Combination): Set<number> {
  const ofWire = new Map(signals);
  const ofRow: Terms = new Map();
  for (const step of steps.toReversed()) {
    if ("wire" in step) {
      addTo(ofRow, step.rows, ofWire.get(step.wire));
      continue;
    }
    const derivative = ofRow.get(step.row);
    if (derivative === undefined) continue;
    const { a, b } = r1cs.constraints[step.row];
    addTo(ofWire, a, derivative * evaluate(b, witness));
    addTo(ofWire, b, derivative * evaluate(a, witness));
    addTo(ofWire, step.known, -derivative);
  }
  return new Set([...ofRow].filter(([, derivative]) => derivative !== 0n).map(([row]) => row));
}

/** Eliminates `wire` by an equation in which its coefficient is 1. */
function subtract(equation: Equation, wire: number, by: Equation | undefined): void {
  const factor = equation.terms.get(wire);
  if (factor === undefined || by === undefined) return;
  addTo(equation.terms, by.terms, -factor);
  addTo(equation.rows, by.rows, -factor);
  for (const [other, coefficient] of equation.terms) if (coefficient === 0n) equation.terms.delete(other);
}

function scale({ terms, rows }: Equation, factor: bigint): void {
  for (const map of [terms, rows]) for (const [key, value] of map) map.set(key, mod(value * factor));
}

/** Adds `factor` times `terms`. */
function addTo(sums: Terms, terms: Combination, factor = 0n): void {
  if (factor === 0n) return;
  for (const [key, value] of terms) sums.set(key, mod((sums.get(key) ?? 0n) + mod(factor) * value));
}

function mod(x: bigint): bigint {
  return ((x % FIELD_MODULUS) + FIELD_MODULUS) % FIELD_MODULUS;
}
