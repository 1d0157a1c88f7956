/**
 * Proving and verifying without a prover of one's own, for scripts. One prover, made at the first call over the
 * committed artifacts; its workers end by themselves soon after the last proof, so that a script ends too.
 */
import type { CircuitName, Groth16Proof, ProofWithSignals } from "../core/groth16.ts";
import {
  createProver,
  type DepositInput,
  type ProveOptions,
  type Prover,
  type WithdrawInput,
} from "./prover.ts";

const IDLE_MS = 500;

let prover: Promise<Prover> | undefined;

function defaultProver(): Promise<Prover> {
  prover ??= createProver({ idleMs: IDLE_MS }).catch((error) => {
    prover = undefined;
    throw error;
  });
  return prover;
}

/** Proves a withdrawal; see {@linkcode Prover.proveWithdraw}. */
export async function proveWithdraw(input: WithdrawInput, options?: ProveOptions): Promise<ProofWithSignals> {
  return (await defaultProver()).proveWithdraw(input, options);
}

/** Proves a deposit; see {@linkcode Prover.proveDeposit}. */
export async function proveDeposit(input: DepositInput, options?: ProveOptions): Promise<ProofWithSignals> {
  return (await defaultProver()).proveDeposit(input, options);
}

/** Whether a proof holds; see {@linkcode Prover.verify}. */
export async function verifyProof(
  circuit: CircuitName,
  proof: Groth16Proof,
  publicSignals: readonly string[],
): Promise<boolean> {
  return (await defaultProver()).verify(circuit, proof, publicSignals);
}
