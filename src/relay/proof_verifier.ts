/**
 * Off-chain verification with a bound: verifying costs this machine milliseconds and a caller nothing, so what waits is
 * limited, and equal requests at once share one verification.
 */
import { Problem } from "../core/errors.ts";
import type { Groth16Proof } from "../core/groth16.ts";

/** Proofs that may wait or be verified at once. */
const QUEUE = 64;
const RETRY_AFTER_SECONDS = 1;

/** The part of the prover that checks proofs; false for whatever does not hold. */
export interface Verifier {
  verify(circuit: "withdraw", proof: Groth16Proof, publicSignals: readonly string[]): Promise<boolean>;
}

/** A bounded, sharing front of a {@link Verifier}. */
export class ProofVerifier {
  readonly #verifier: Verifier;
  readonly #limit: number;
  readonly #pending = new Map<string, Promise<boolean>>();

  constructor(verifier: Verifier, limit: number = QUEUE) {
    this.#verifier = verifier;
    this.#limit = limit;
  }

  /** @throws {Problem} `verification_busy` when too many wait already */
  async verify(proof: Groth16Proof, publicSignals: readonly string[]): Promise<boolean> {
    const key = JSON.stringify([proof.pi_a, proof.pi_b, proof.pi_c, publicSignals]);
    const shared = this.#pending.get(key);
    if (shared) return await shared;
    if (this.#pending.size >= this.#limit) {
      throw new Problem("verification_busy", undefined, { members: { retryAfter: RETRY_AFTER_SECONDS } });
    }
    const verification = this.#verifier.verify("withdraw", proof, publicSignals);
    this.#pending.set(key, verification);
    try {
      return await verification;
    } finally {
      this.#pending.delete(key);
    }
  }
}
