/** Groth16 over BLS12-381 in the JSON format of snarkjs. Elements are decimal strings. */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";

export const circuitNames = ["withdraw", "deposit"] as const;

/** A circuit of the protocol. */
export type CircuitName = (typeof circuitNames)[number];

/** Names of the public signals of each circuit, in order. */
export const publicSignalNames = {
  withdraw: ["root", "nullifierHash", "recipient", "relayer", "fee", "refund"],
  deposit: ["prevRoot", "newRoot", "commitment", "leafIndex"],
} as const satisfies Record<CircuitName, readonly string[]>;

/**
 * A proof: `pi_a` and `pi_c` are G1 points [x, y, "1"], `pi_b` is a G2 point [[x.c0, x.c1], [y.c0, y.c1],
 * ["1", "0"]].
 */
export interface Groth16Proof {
  readonly pi_a: readonly string[];
  readonly pi_b: readonly (readonly string[])[];
  readonly pi_c: readonly string[];
  readonly protocol: "groth16";
  readonly curve: "bls12381";
}

/** A proof and its public signals, as decimal strings. */
export interface ProofWithSignals {
  readonly proof: Groth16Proof;
  readonly publicSignals: readonly string[];
}

/**
 * Returns one hash for a pool's two verification keys: SHA-256 over the hashes of the withdraw and deposit
 * key files.
 *
 * @param hashes SHA-256 of each key file, 64 hex digits
 */
export function combinedVkeyHash(hashes: Readonly<Record<CircuitName, string>>): string {
  return bytesToHex(sha256(hexToBytes(circuitNames.map((name) => hashes[name]).join(""))));
}
