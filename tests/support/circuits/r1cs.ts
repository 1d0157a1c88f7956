/**
 * Reads circom's .r1cs and .sym files and evaluates the constraints on a witness. Witness programs may assert
 * anything, but a proof proves only the constraints. Format:
 * https://github.com/iden3/r1csfile/blob/master/doc/r1cs_bin_format.md
 */
import { FIELD_BYTES, FIELD_MODULUS } from "../../../src/core/crypto/field.ts";

/** A sum of wires times coefficients, by wire. */
export type Combination = ReadonlyMap<number, bigint>;

/** A constraint a * b = c. */
export interface Constraint {
  readonly a: Combination;
  readonly b: Combination;
  readonly c: Combination;
}

/** A constraint system. Wire 0 is the constant 1; the public inputs are the wires 1 to `publicInputs`. */
export interface R1cs {
  readonly prime: bigint;
  readonly wires: number;
  readonly publicOutputs: number;
  readonly publicInputs: number;
  readonly privateInputs: number;
  readonly constraints: readonly Constraint[];
}

/** Reads the sections of a file by circom or snarkjs: magic, version, then id, size and bytes of each section. */
export function readSections(file: Uint8Array, magic: string): Map<number, DataView> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (new TextDecoder().decode(file.subarray(0, 4)) !== magic) throw new Error(`not a .${magic} file`);
  const sections = new Map<number, DataView>();
  for (let at = 12; at < file.length;) {
    const size = Number(view.getBigUint64(at + 4, true));
    sections.set(view.getUint32(at, true), new DataView(file.buffer, file.byteOffset + at + 12, size));
    at += 12 + size;
  }
  return sections;
}

/** Reads a field element: 32 bytes, little endian. */
export function readElement(view: DataView, at: number): bigint {
  let x = 0n;
  for (let i = FIELD_BYTES - 8; i >= 0; i -= 8) x = (x << 64n) | view.getBigUint64(at + i, true);
  return x;
}

/** Parses an .r1cs file over a field of 32 bytes. */
export function parseR1cs(file: Uint8Array): R1cs {
  const sections = readSections(file, "r1cs");
  const header = sections.get(1)!;
  if (header.getUint32(0, true) !== FIELD_BYTES) throw new Error("not a field of 32 bytes");
  const count = (index: number) => header.getUint32(4 + FIELD_BYTES + 4 * index, true);

  const body = sections.get(2)!;
  let at = 0;
  const combination = () => {
    const terms = new Map<number, bigint>();
    const length = body.getUint32(at, true);
    at += 4;
    for (let i = 0; i < length; i++, at += 4 + FIELD_BYTES) {
      terms.set(body.getUint32(at, true), readElement(body, at + 4));
    }
    return terms;
  };
  // nWires, nPubOut, nPubIn, nPrvIn, nLabels (8 bytes), mConstraints
  const constraints = Array.from({ length: count(6) }, () => ({
    a: combination(),
    b: combination(),
    c: combination(),
  }));
  return {
    prime: readElement(header, 4),
    wires: count(0),
    publicOutputs: count(1),
    publicInputs: count(2),
    privateInputs: count(3),
    constraints,
  };
}

/**
 * Returns the wire of each signal by name, such as `main.leafIndex`. Signals that the optimiser removed are missing.
 */
export function parseSymbols(text: string): Map<string, number> {
  const lines = text.trim().split("\n").map((line) => line.split(","));
  return new Map(
    lines.filter(([, wire]) => wire !== "-1").map(([, wire, , name]) => [name, Number(wire)]),
  );
}

/** Returns the wires' values of a witness: 32 bytes each, little endian. */
export function parseWitness(bytes: Uint8Array): bigint[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / FIELD_BYTES }, (_, i) => readElement(view, i * FIELD_BYTES));
}

/** Returns the value of a combination, in [0, r). */
export function evaluate(terms: Combination, witness: readonly bigint[]): bigint {
  let sum = 0n;
  for (const [wire, coefficient] of terms) sum += coefficient * witness[wire];
  return sum % FIELD_MODULUS;
}

/** Returns whether the witness satisfies a constraint. */
export function isSatisfied({ a, b, c }: Constraint, witness: readonly bigint[]): boolean {
  return (evaluate(a, witness) * evaluate(b, witness) - evaluate(c, witness)) % FIELD_MODULUS === 0n;
}

/** Returns the constraints that a witness violates. */
export function unsatisfiedConstraints(r1cs: R1cs, witness: readonly bigint[]): Constraint[] {
  return r1cs.constraints.filter((constraint) => !isSatisfied(constraint, witness));
}

/** Returns the wires of a constraint that have a coefficient other than 0. */
export function constraintWires({ a, b, c }: Constraint): Set<number> {
  return new Set([a, b, c].flatMap((terms) => [...terms].filter(([, k]) => k !== 0n).map(([wire]) => wire)));
}

/** Returns the wires that follow from `known` ones: each is the only unknown wire of a constraint, and only in c. */
export function determinedWires(r1cs: R1cs, known: Iterable<number>): Set<number> {
  const unknowns = r1cs.constraints.map(constraintWires);
  const mentions = Array.from({ length: r1cs.wires }, (): number[] => []);
  unknowns.forEach((wires, row) => wires.forEach((wire) => mentions[wire].push(row)));

  const found = new Set(known);
  const queue = [...found];
  const settle = (row: number) => {
    if (unknowns[row].size !== 1) return;
    const [last] = unknowns[row];
    const { a, b } = r1cs.constraints[row];
    if (found.has(last) || a.has(last) || b.has(last)) return;
    found.add(last);
    queue.push(last);
  };
  unknowns.forEach((_, row) => settle(row)); // signals that are constants
  for (let wire = queue.pop(); wire !== undefined; wire = queue.pop()) {
    for (const row of mentions[wire]) {
      unknowns[row].delete(wire);
      settle(row);
    }
  }
  return found;
}
