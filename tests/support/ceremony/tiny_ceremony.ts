/** Inputs of a ceremony that only tests need: a witness of the tiny circuits, and snarkjs' powers of tau. */
import { concatBytes } from "@noble/hashes/utils.js";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { type CircuitName, publicSignalNames } from "../../../src/core/crypto/groth16.ts";
import { scalar, TINY_POWER, tinyConstraints } from "../../../src/ops/ceremony/rehearsal/tiny_circuits.ts";
import { u32, writeSections } from "../../../src/ops/ceremony/section_file.ts";
import type { Snarkjs, SnarkjsFile } from "../../../testkit/toolchain/snarkjs.ts";

/** Returns a witness of `tinyR1cs` as a `.wtns` file, and its public signals. */
export function tinyWitness(circuit: CircuitName): { wtns: Uint8Array; signals: bigint[] } {
  const nPublic = publicSignalNames[circuit].length;
  const xs = Array.from({ length: nPublic }, (_, i) => BigInt(i + 2));
  const signals = xs.map((x) => x * x % FIELD_MODULUS);
  const products = Array.from(
    { length: Math.max(0, tinyConstraints[circuit] - nPublic) },
    (_, i) => (xs[0] + 5n * xs[1]) * xs[i % nPublic],
  );
  const all = [1n, ...signals, ...xs, ...products];
  const header = concatBytes(u32(32), scalar(FIELD_MODULUS), u32(all.length));
  return { wtns: writeSections("wtns", [[1, header], [2, concatBytes(...all.map(scalar))]], 2), signals };
}

/**
 * Creates powers of tau with snarkjs: a new accumulator with one contribution, by default prepared for phase
 * 2.
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
