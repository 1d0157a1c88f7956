/**
 * Inputs of a ceremony small enough for a test: two circuits with a few constraints and the public signals of the
 * real ones, and powers of tau for 2^4 rows.
 */
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { type CircuitName, circuitNames, publicSignalNames } from "../../../src/core/crypto/groth16.ts";
import type { CeremonyFolder } from "../../../src/ops/ceremony/ceremony_folder.ts";
import { concatBytes, u32 } from "../../../src/ops/ceremony/section_file.ts";
import type { Snarkjs, SnarkjsFile } from "../../../testkit/toolchain/snarkjs.ts";

/** The larger circuit needs all 2^4 rows, so twice its domain is one power more than the file holds. */
export const TINY_POWER = 4;
/** Number of constraints. With a row for 1 and each public signal the circuits have 16 and 8 rows. */
const CONSTRAINTS: Record<CircuitName, number> = { withdraw: 9, deposit: 3 };

const scalar = (x: bigint) => littleEndian(x, 32);

/**
 * Returns an R1CS: x_i x_i = p_i for the public signals p, then (x_0 + 5 x_1) x_i = y_i for the other constraints.
 */
export function tinyR1cs(circuit: CircuitName, constraints = CONSTRAINTS[circuit]): Uint8Array {
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
    littleEndian(BigInt(variables), 8),
    u32(constraints),
  );
  return binFile("r1cs", [[1, header], [2, concatBytes(...rows)], [3, new Uint8Array(8 * variables)]]);
}

/** Returns a witness of {@linkcode tinyR1cs} as a `.wtns` file, and its public signals. */
export function tinyWitness(circuit: CircuitName): { wtns: Uint8Array; signals: bigint[] } {
  const nPublic = publicSignalNames[circuit].length;
  const xs = Array.from({ length: nPublic }, (_, i) => BigInt(i + 2));
  const signals = xs.map((x) => x * x % FIELD_MODULUS);
  const products = Array.from(
    { length: Math.max(0, CONSTRAINTS[circuit] - nPublic) },
    (_, i) => (xs[0] + 5n * xs[1]) * xs[i % nPublic],
  );
  const all = [1n, ...signals, ...xs, ...products];
  const header = concatBytes(u32(32), scalar(FIELD_MODULUS), u32(all.length));
  return { wtns: binFile("wtns", [[1, header], [2, concatBytes(...all.map(scalar))]], 2), signals };
}

/**
 * Returns powers of tau that snarkjs makes: a new accumulator with one contribution, by default prepared for phase 2.
 */
export async function tinyPowers(
  snarkjs: Snarkjs,
  { power = TINY_POWER, prepared = true, curve = "bls12381" as "bls12381" | "bn128" } = {},
): Promise<Uint8Array> {
  const files = Array.from({ length: 3 }, () => ({ type: "mem" as const }));
  const [fresh, contributed, ready]: SnarkjsFile[] = files;
  await snarkjs.powersOfTau.newAccumulator(
    await snarkjs.curves.getCurveFromName(curve as "bls12381"),
    power,
    fresh,
  );
  await snarkjs.powersOfTau.contribute(fresh, contributed, "test", "some entropy");
  if (!prepared) return memoryBytes(contributed);
  await snarkjs.powersOfTau.preparePhase2(contributed, ready);
  return memoryBytes(ready);
}

/** Returns the bytes that snarkjs wrote to memory. */
export function memoryBytes(file: SnarkjsFile): Uint8Array {
  const { data } = file as { data: Uint8Array };
  return data.slice();
}

/** Creates a ceremony folder in memory. */
export function memoryFolder(): CeremonyFolder & { readonly files: Map<string, Uint8Array<ArrayBuffer>> } {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    files,
    has: (name) => Promise.resolve(files.has(name)),
    assertWritable: () => Promise.resolve(),
    lock: () => Promise.resolve({ [Symbol.dispose]() {} }),
    read: (name) => Promise.resolve(files.get(name)?.slice()),
    write: (name, content) => Promise.resolve(void files.set(name, new Uint8Array(content))),
    remove: (name) => Promise.resolve(void files.delete(name)),
  };
}

/** Returns the constraint systems of both circuits. */
export function tinyCircuits(): Record<CircuitName, Uint8Array> {
  return Object.fromEntries(circuitNames.map((circuit) => [circuit, tinyR1cs(circuit)])) as Record<
    CircuitName,
    Uint8Array
  >;
}

function binFile(magic: string, sections: [id: number, content: Uint8Array][], version = 1): Uint8Array {
  return concatBytes(
    new TextEncoder().encode(magic),
    u32(version),
    u32(sections.length),
    ...sections.flatMap(([id, content]) => [u32(id), littleEndian(BigInt(content.length), 8), content]),
  );
}

function littleEndian(x: bigint, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => Number(x >> BigInt(8 * i) & 0xffn));
}
