/** The first call creates a prover, whose workers end soon after the last proof, so that a script can end. */
import type { AnyCircuitName, Groth16Proof, ProofWithSignals } from "../core/crypto/groth16.ts";
import { memoizeAsync } from "../core/time/single_flight.ts";
import { createProver, type DepositInput, type ProveOptions, type WithdrawInput } from "./prover.ts";

const WORKER_IDLE_TIMEOUT_MS = 500;

const getDefaultProver = memoizeAsync(() => createProver({ idleTimeoutMs: WORKER_IDLE_TIMEOUT_MS }));

/**
 * Proves a withdrawal with a shared prover.
 * @throws {Problem} `constraints_unsatisfied`, `not_in_field`, `invalid_request` for wrong inputs;
 *   `artifact_corrupted`, `artifact_unavailable`; `cancelled`
 * @example
 * ```ts
 * const { proof, publicSignals } = await proveWithdraw(input);
 * ```
 */
export async function proveWithdraw(input: WithdrawInput, options?: ProveOptions): Promise<ProofWithSignals> {
  return (await getDefaultProver()).proveWithdraw(input, options);
}

/**
 * Proves a deposit with a shared prover.
 * @throws {Problem} as {@linkcode proveWithdraw} does
 * @example
 * ```ts
 * const { proof, publicSignals } = await proveDeposit(input);
 * ```
 */
export async function proveDeposit(input: DepositInput, options?: ProveOptions): Promise<ProofWithSignals> {
  return (await getDefaultProver()).proveDeposit(input, options);
}

/**
 * Verifies a proof with a shared prover. Returns false for an invalid or malformed proof or signal.
 * @param publicSignals decimal strings
 * @throws {Problem} `artifact_corrupted`, `artifact_unavailable`; `verification_busy` if too many proofs wait
 * @example
 * ```ts
 * if (!await verifyProof("withdraw", proof, publicSignals)) throw new Error("invalid proof");
 * ```
 */
export async function verifyProof(
  circuit: AnyCircuitName,
  proof: Groth16Proof,
  publicSignals: readonly string[],
): Promise<boolean> {
  return (await getDefaultProver()).verify(circuit, proof, publicSignals);
}
