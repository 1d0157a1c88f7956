/** Circuits with the public signals of the real ones, for ceremonies that take seconds. */
import { concatBytes } from "@noble/hashes/utils.js";
import { FIELD_MODULUS } from "../../../core/crypto/field.ts";
import {
  type AnyCircuitName,
  circuitsOfVersion,
  type PerCircuit,
  publicSignalNames,
} from "../../../core/crypto/groth16.ts";
import { u32, u64, writeSections } from "../section_file.ts";

/** The larger circuit of version 1 needs all 2^4 rows, so twice its domain is one power more than the file has. */
export const TINY_POWER = 4;
/** The same for version 2. */
export const TINY_POWER_2 = 5;
/** The circuits have 16, 8, 16 and 32 rows, including one for the constant 1 and for each public signal. */
export const tinyConstraints: Readonly<Record<AnyCircuitName, number>> = {
  withdraw: 9,
  deposit: 3,
  withdraw2: 9,
  settle16: 11,
};

export const scalar = (x: bigint) =>
  Uint8Array.from({ length: 32 }, (_, i) => Number(x >> BigInt(8 * i) & 0xffn));

/** An R1CS: x_i x_i = p_i for the public signals p, then (x_0 + 5 x_1) x_i = y_i. */
export function tinyR1cs(circuit: AnyCircuitName, constraints = tinyConstraints[circuit]): Uint8Array {
  const nPublic = publicSignalNames[circuit].length;
  const x = (i: number) => 1 + nPublic + i;
  const variables = 1 + 2 * nPublic + Math.max(0, constraints - nPublic);
  const combination = (...terms: [number, bigint][]) =>
    concatBytes(
      u32(terms.length),
      ...terms.map(([signal, factor]) => concatBytes(u32(signal), scalar(factor))),
    );
  const rows = Array.from({ length: constraints }, (_, i) => {
    const square = i < nPublic;
    const first = square ? combination([x(i), 1n]) : combination([x(0), 1n], [x(1), 5n]);
    const product = square ? 1 + i : x(i);
    return concatBytes(first, combination([x(i % nPublic), 1n]), combination([product, 1n]));
  });
  const header = concatBytes(
    u32(32),
    scalar(FIELD_MODULUS),
    ...[variables, 0, nPublic, nPublic].map(u32),
    u64(variables),
    u32(constraints),
  );
  return writeSections("r1cs", [[1, header], [2, concatBytes(...rows)], [3, new Uint8Array(8 * variables)]]);
}

export function tinyCircuits(version: 1 | 2 = 1): PerCircuit<Uint8Array> {
  return Object.fromEntries(circuitsOfVersion[version].map((circuit) => [circuit, tinyR1cs(circuit)]));
}
