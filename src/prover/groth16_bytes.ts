/** The WASM's big-endian bytes: 48 for a coordinate, 32 for a signal. The WASM validates the points. */
import { Problem } from "../core/errors/problem.ts";
import { bytesToBigint, FIELD_BYTES, fieldToBytes, parseSignal } from "../core/crypto/field.ts";
import type { Groth16Proof } from "../core/crypto/groth16.ts";

const COORDINATE_BYTES = 48;

export interface VerificationKey {
  readonly nPublic: number;
  readonly vk_alpha_1: readonly string[];
  readonly vk_beta_2: readonly (readonly string[])[];
  readonly vk_gamma_2: readonly (readonly string[])[];
  readonly vk_delta_2: readonly (readonly string[])[];
  readonly IC: readonly (readonly string[])[];
}

/** Encodes alpha, beta, gamma, delta, then the points of the constant and of each public signal. */
export function verificationKeyToBytes(key: VerificationKey): Uint8Array<ArrayBuffer> {
  return coordinatesToBytes([
    ...g1Coordinates(key.vk_alpha_1),
    ...[key.vk_beta_2, key.vk_gamma_2, key.vk_delta_2].flatMap(g2Coordinates),
    ...key.IC.flatMap(g1Coordinates),
  ]);
}

/** Encodes A, B, C. `proof` must come from `parseProof`. */
export function proofToBytes(proof: Groth16Proof): Uint8Array<ArrayBuffer> {
  return coordinatesToBytes([
    ...g1Coordinates(proof.pi_a),
    ...g2Coordinates(proof.pi_b),
    ...g1Coordinates(proof.pi_c),
  ]);
}

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

export function signalsToBytes(signals: readonly string[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(signals.length * FIELD_BYTES);
  for (const [i, signal] of signals.entries()) {
    if (typeof signal !== "string") {
      throw new Problem("invalid_request", `public signal ${i} is not a string`);
    }
    bytes.set(fieldToBytes(parseSignal(signal, `public signal ${i}`)), i * FIELD_BYTES);
  }
  return bytes;
}

/** Returns the first `count` public signals of a witness as decimal strings. Wire 0 is the constant 1. */
export function extractPublicSignals(witness: Uint8Array, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const wire = witness.slice((i + 1) * FIELD_BYTES, (i + 2) * FIELD_BYTES);
    return String(bytesToBigint(wire.reverse()));
  });
}

function g1Coordinates([x, y]: readonly string[]): string[] {
  return [x, y];
}

function g2Coordinates([x, y]: readonly (readonly string[])[]): string[] {
  return [...x, ...y];
}

function coordinatesToBytes(coordinates: readonly string[]): Uint8Array<ArrayBuffer> {
  const hex = coordinates.map((x) => BigInt(x).toString(16).padStart(2 * COORDINATE_BYTES, "0")).join("");
  return Uint8Array.from(
    { length: coordinates.length * COORDINATE_BYTES },
    (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16),
  );
}
