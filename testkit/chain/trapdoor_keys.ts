/**
 * Verification keys with known secrets, and proofs forged with them, as after a broken ceremony. Tests compile the
 * real contract with these keys and can then prove anything at once, about roots and notes that no tree holds. Only
 * tests and tools may use them.
 */
import { beginCell, type Cell } from "@ton/core";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { compileCached } from "./compiled_contracts.ts";
import { type VerificationKey, verifierSource } from "../../src/ops/keys/verifier_source.ts";
import { type AnyCircuitName, circuitsOfVersion, publicSignalNames } from "../../src/core/crypto/groth16.ts";

const { G1, G2, fields: { Fr } } = bls12_381;

const secrets = { alpha: 1234567n, beta: 7654321n, gamma: 998877n, delta: 112233445566n };
const ic = (i: number) => Fr.create(0x1234567890abcdef1234567890abcdefn * BigInt(i + 3) ** 5n);

/** Returns the key of a circuit in snarkjs' form. */
export function trapdoorKey(circuit: AnyCircuitName): VerificationKey {
  const nPublic = publicSignalNames[circuit].length;
  return {
    protocol: "groth16",
    curve: "bls12381",
    nPublic,
    vk_alpha_1: g1(secrets.alpha),
    vk_beta_2: g2(secrets.beta),
    vk_gamma_2: g2(secrets.gamma),
    vk_delta_2: g2(secrets.delta),
    IC: Array.from({ length: nPublic + 1 }, (_, i) => g1(ic(i))),
  };
}

const a = 0xabcdef0123456789n ** 3n;
const b = 0x987654321n ** 5n;
const aBytes = G1.Point.BASE.multiply(Fr.create(a)).toBytes(true);
// Not `multiply`: its table for constant time takes longer than all multiplications here.
const bBytes = G2.Point.BASE.multiplyUnsafe(Fr.create(b)).toBytes(true);

/** Returns a proof cell that is valid under {@linkcode trapdoorKey} for exactly these public signals. */
export function forgeProof(signals: readonly bigint[]): Cell {
  return proofCell(aBytes, solveForC(a * b, signals), bBytes);
}

/**
 * Works like {@linkcode forgeProof}, with a at infinity. Then b does not affect the pairings, so any b is
 * valid for them.
 */
export function forgeProofWithoutA(signals: readonly bigint[], b: Uint8Array): Cell {
  return proofCell(G1.Point.ZERO.toBytes(true), solveForC(0n, signals), b);
}

/** Returns the c that satisfies the equation for a product of a and b. */
function solveForC(ab: bigint, signals: readonly bigint[]): Uint8Array {
  const inputs = signals.reduce((sum, x, i) => Fr.add(sum, Fr.mul(Fr.create(x), ic(i + 1))), ic(0));
  const { alpha, beta, gamma, delta } = secrets;
  const c = Fr.div(Fr.create(ab - alpha * beta - inputs * gamma), delta);
  return G1.Point.BASE.multiply(c).toBytes(true);
}

/** Stores compressed points, valid or not, in a proof cell. */
export function proofCell(a: Uint8Array, c: Uint8Array, b: Uint8Array): Cell {
  return beginCell().storeBuffer(Buffer.from(a)).storeBuffer(Buffer.from(c))
    .storeRef(beginCell().storeBuffer(Buffer.from(b)).endCell()).endCell();
}

function g1(scalar: bigint): string[] {
  const { x, y } = G1.Point.BASE.multiply(scalar).toAffine();
  return [String(x), String(y), "1"];
}

function g2(scalar: bigint): string[][] {
  const { x, y } = G2.Point.BASE.multiplyUnsafe(scalar).toAffine();
  return [[String(x.c0), String(x.c1)], [String(y.c0), String(y.c1)], ["1", "0"]];
}

/** Verifiers with the test keys, by the path of the source that each replaces. */
export const trapdoorVerifiers: Readonly<Record<string, string>> = Object.fromEntries(
  circuitsOfVersion[1].map((
    name,
  ) => [`contracts/v1/generated/verifier_${name}.tolk`, verifierSource(name, trapdoorKey(name))]),
);

/** Compiles the native pool with the test keys. */
export function trapdoorNativeCode(): Promise<Cell> {
  return compileCached("contracts/v1/pool_native.tolk", trapdoorVerifiers);
}

/** Compiles the jetton pool with the test keys. */
export function trapdoorJettonCode(): Promise<Cell> {
  return compileCached("contracts/v1/jetton/pool_jetton.tolk", trapdoorVerifiers);
}
