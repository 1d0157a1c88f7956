/** Checks the points of a verification key, before anything is compiled or deployed with it. */
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { Problem } from "../../core/errors/problem.ts";
import type { VerificationKey } from "./verifier_source.ts";

type Coordinates = readonly string[];

/** Keys that passed the check in this process, as JSON. All pools of a version have the same keys, and a check takes a tenth of a second. */
const soundKeys = new Set<string>();

/**
 * Each point must be on its curve, of order r and not at infinity: a key with points at infinity accepts
 * false proofs. Throws `artifact_corrupted` with the first invalid point of `file`.
 */
export function assertSoundKey(file: string, key: VerificationKey): void {
  const text = JSON.stringify(key);
  if (soundKeys.has(text)) return;
  assertPoint(file, "vk_alpha_1", () => assertG1(key.vk_alpha_1));
  for (const name of ["vk_beta_2", "vk_gamma_2", "vk_delta_2"] as const) {
    assertPoint(file, name, () => assertG2(key[name]));
  }
  for (const [i, point] of key.IC.entries()) assertPoint(file, `IC/${i}`, () => assertG1(point));
  soundKeys.add(text);
}

function assertPoint(file: string, name: string, check: () => void): void {
  try {
    check();
  } catch (cause) {
    throw new Problem(
      "artifact_corrupted",
      `${file}: ${name} is at infinity or no point of order r, so the key can accept false proofs`,
      { cause },
    );
  }
}

function assertG1([x, y, z]: Coordinates): void {
  if (z !== "1") throw new RangeError("the point is not affine");
  assertOfOrderR(bls12_381.G1.Point.fromAffine({ x: BigInt(x), y: BigInt(y) }));
}

function assertG2([x, y, z]: readonly Coordinates[]): void {
  if (z[0] !== "1" || z[1] !== "0") throw new RangeError("the point is not affine");
  const [[x0, x1], [y0, y1]] = [x, y].map((pair) => pair.map(BigInt));
  assertOfOrderR(bls12_381.G2.Point.fromAffine({ x: { c0: x0, c1: x1 }, y: { c0: y0, c1: y1 } }));
}

function assertOfOrderR(point: { is0(): boolean; assertValidity(): void }): void {
  if (point.is0()) throw new RangeError("the point is at infinity");
  point.assertValidity();
}
