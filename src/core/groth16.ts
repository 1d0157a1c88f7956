/** Shapes of Groth16 over BLS12-381 as snarkjs writes them. Elements are decimal strings of base field integers. */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";

/** The two circuits of the protocol. */
export const circuits = ["withdraw", "deposit"] as const;

/** Name of a circuit. */
export type CircuitName = (typeof circuits)[number];

/** Public signals of each circuit, in order. */
export const publicSignalNames = {
  withdraw: ["root", "nullifierHash", "recipient", "relayer", "fee", "refund"],
  deposit: ["prevRoot", "newRoot", "commitment", "leafIndex"],
} as const satisfies Record<CircuitName, readonly string[]>;

/**
 * A proof: `pi_a` and `pi_c` are points of G1 as [x, y, "1"], `pi_b` is a point of G2 as
 * [[x.c0, x.c1], [y.c0, y.c1], ["1", "0"]].
 */
export interface Groth16Proof {
  readonly pi_a: readonly string[];
  readonly pi_b: readonly (readonly string[])[];
  readonly pi_c: readonly string[];
  readonly protocol: "groth16";
  readonly curve: "bls12381";
}

/** A proof and the public signals it proves, as decimal strings. */
export interface ProofWithSignals {
  readonly proof: Groth16Proof;
  readonly publicSignals: readonly string[];
}

/**
 * One hash for the verification keys of a pool: SHA-256 of the SHA-256 of the withdraw key file and that of the deposit
 * key file, one after the other. Registry, contract artifacts and prover compare it.
 *
 * @param hashes 64 hex digits each
 */
export function combinedVkeyHash(hashes: Readonly<Record<CircuitName, string>>): string {
  return bytesToHex(sha256(hexToBytes(circuits.map((name) => hashes[name]).join(""))));
}
