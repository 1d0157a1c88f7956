/**
 * Proofs, verification keys and public signals between snarkjs JSON and the bytes that the WASM takes: coordinates
 * 48 bytes big endian, signals 32. Must not judge points: the WASM does.
 */
import { Problem } from "../core/errors.ts";
import { bytesToBigint, FIELD_BYTES, parseSignal, toBytes } from "../core/field.ts";
import type { Groth16Proof } from "../core/groth16.ts";

const COORDINATE_BYTES = 48;

/** A verification key as snarkjs exports it. */
export interface VerificationKey {
  readonly nPublic: number;
  readonly vk_alpha_1: readonly string[];
  readonly vk_beta_2: readonly (readonly string[])[];
  readonly vk_gamma_2: readonly (readonly string[])[];
  readonly vk_delta_2: readonly (readonly string[])[];
  readonly IC: readonly (readonly string[])[];
}

/** alpha, beta, gamma, delta, then the points of the constant and of each public signal. */
export function verificationKeyToBytes(key: VerificationKey): Uint8Array<ArrayBuffer> {
  return coordinatesToBytes([
    ...g1(key.vk_alpha_1),
    ...[key.vk_beta_2, key.vk_gamma_2, key.vk_delta_2].flatMap(g2),
    ...key.IC.flatMap(g1),
  ]);
}

/** A, B, C. `proof` is one that `parseProof` returned. */
export function proofToBytes(proof: Groth16Proof): Uint8Array<ArrayBuffer> {
  return coordinatesToBytes([...g1(proof.pi_a), ...g2(proof.pi_b), ...g1(proof.pi_c)]);
}

/** The reverse of {@linkcode proofToBytes}. */
export function proofFromBytes(bytes: Uint8Array): Groth16Proof {
  const [ax, ay, bx0, bx1, by0, by1, cx, cy] = Array.from(
    { length: 8 },
    (_, i) => String(bytesToBigint(bytes.subarray(i * COORDINATE_BYTES, (i + 1) * COORDINATE_BYTES))),
  );
  return {
    pi_a: [ax, ay, "1"],
    pi_b: [[bx0, bx1], [by0, by1], ["1", "0"]],
    pi_c: [cx, cy, "1"],
    protocol: "groth16",
    curve: "bls12381",
  };
}

/**
 * Public signals, one after another.
 *
 * @throws {Problem} `invalid_request` or `not_in_field` for a signal that is not a canonical field element
 */
export function signalsToBytes(signals: readonly string[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(signals.length * FIELD_BYTES);
  for (const [i, signal] of signals.entries()) {
    if (typeof signal !== "string") {
      throw new Problem("invalid_request", `public signal ${i} is not a string`);
    }
    bytes.set(toBytes(parseSignal(signal, `public signal ${i}`)), i * FIELD_BYTES);
  }
  return bytes;
}

/** The first `count` public signals of a witness (wire 0 is the constant 1), as decimal strings. */
export function signalsOfWitness(witness: Uint8Array, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const wire = witness.slice((i + 1) * FIELD_BYTES, (i + 2) * FIELD_BYTES);
    return String(bytesToBigint(wire.reverse()));
  });
}

function g1([x, y]: readonly string[]): string[] {
  return [x, y];
}

function g2([x, y]: readonly (readonly string[])[]): string[] {
  return [...x, ...y];
}

function coordinatesToBytes(coordinates: readonly string[]): Uint8Array<ArrayBuffer> {
  const hex = coordinates.map((x) => BigInt(x).toString(16).padStart(2 * COORDINATE_BYTES, "0")).join("");
  return Uint8Array.from(
    { length: coordinates.length * COORDINATE_BYTES },
    (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16),
  );
}
