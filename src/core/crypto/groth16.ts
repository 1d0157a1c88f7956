/** The circuits of both pool versions, their public signals and proofs, and the hash of a pool's keys. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";

/** A circuit of version 1 pools. */
export type CircuitName = "withdraw" | "deposit";
export type Version2CircuitName = "withdraw2" | "settle16";
/** A circuit of either version. */
export type AnyCircuitName = CircuitName | Version2CircuitName;

/** The circuits of one version of pools, in the order of the key hash and of the ceremony. */
export const circuitsOfVersion: {
  readonly 1: readonly CircuitName[];
  readonly 2: readonly Version2CircuitName[];
} = {
  1: ["withdraw", "deposit"],
  2: ["withdraw2", "settle16"],
};

export const allCircuitNames: readonly AnyCircuitName[] = [...circuitsOfVersion[1], ...circuitsOfVersion[2]];

/** One value for each circuit of one version of pools, by the circuit's name. */
export type PerCircuit<T> = Readonly<Record<string, T>>;

export function circuitsVersion(record: PerCircuit<unknown>): 1 | 2 {
  return "withdraw2" in record ? 2 : 1;
}

export function circuitsOf(record: PerCircuit<unknown>): readonly AnyCircuitName[] {
  return circuitsOfVersion[circuitsVersion(record)];
}

export const CHUNK_SLOTS = 16;

/** Names of the public signals of each circuit, in order. */
export const publicSignalNames = {
  withdraw: ["root", "nullifierHash", "recipient", "relayer", "fee", "refund"],
  deposit: ["prevRoot", "newRoot", "commitment", "leafIndex"],
  withdraw2: ["root", "nullifierHash", "recipient", "relayer", "fee", "refund"],
  settle16: [
    ...["oldRoot", "newRoot", "span", "settler"],
    ...Array.from({ length: CHUNK_SLOTS }, (_, slot) => `fresh[${slot}]`),
  ],
} as const satisfies Record<AnyCircuitName, readonly string[]>;

/** A proof. G1 points are [x, y, "1"], the G2 point is [[x.c0, x.c1], [y.c0, y.c1], ["1", "0"]]. */
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

/** The circuit of withdrawals, by the pool's version; default: 1. */
export function withdrawCircuit(version: number | undefined): "withdraw" | "withdraw2" {
  return version === 2 ? "withdraw2" : "withdraw";
}

/** Returns the hash of a pool's keys: SHA-256 over the hashes (64 hex digits) of its two key files. */
export function combinedVkeyHash(hashes: PerCircuit<string>): string {
  return bytesToHex(sha256(hexToBytes(circuitsOf(hashes).map((name) => hashes[name]).join(""))));
}
