/**
 * Verifies proofs off chain with a bounded queue: verification costs milliseconds of CPU and callers nothing. Equal
 * concurrent requests share one verification.
 */
import { Problem } from "../../core/errors/problem.ts";
import type { Groth16Proof } from "../../core/crypto/groth16.ts";
import { withSpan } from "../../telemetry/trace.ts";

/** Limit of queued and running verifications. */
const MAX_PENDING_PROOFS = 64;
const RETRY_AFTER_SECONDS = 1;

/** The verifier of the prover; returns false for any invalid proof. */
export interface WithdrawProofVerifier {
  verify(circuit: "withdraw", proof: Groth16Proof, publicSignals: readonly string[]): Promise<boolean>;
}

/** A queue in front of a {@link WithdrawProofVerifier}. */
export class ProofVerifier {
  readonly #verifier: WithdrawProofVerifier;
  readonly #limit: number;
  readonly #pending = new Map<string, Promise<boolean>>();

  readonly #onVerified: (holds: boolean, seconds: number) => void;

  /** @param verified called with the duration of each verification, waiting included */
  constructor(
    verifier: WithdrawProofVerifier,
    limit: number = MAX_PENDING_PROOFS,
    verified: (holds: boolean, seconds: number) => void = () => {},
  ) {
    this.#verifier = verifier;
    this.#limit = limit;
    this.#onVerified = verified;
  }

  /** Number of queued and running verifications. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Whether another proof would be rejected. */
  get isFull(): boolean {
    return this.#pending.size >= this.#limit;
  }

  /** @throws {Problem} `verification_busy` if the queue is full */
  async verify(proof: Groth16Proof, publicSignals: readonly string[]): Promise<boolean> {
    const key = JSON.stringify([proof.pi_a, proof.pi_b, proof.pi_c, publicSignals]);
    const shared = this.#pending.get(key);
    if (shared) return await shared;
    if (this.isFull) {
      throw new Problem("verification_busy", undefined, { members: { retryAfter: RETRY_AFTER_SECONDS } });
    }
    const began = performance.now();
    const verification = withSpan("proof", () => this.#verifier.verify("withdraw", proof, publicSignals));
    this.#pending.set(key, verification);
    try {
      const holds = await verification;
      this.#onVerified(holds, (performance.now() - began) / 1000);
      return holds;
    } finally {
      this.#pending.delete(key);
    }
  }
}
