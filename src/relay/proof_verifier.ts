/**
 * Off-chain verification with a bound: verifying costs this machine milliseconds and a caller nothing, so what waits is
 * limited, and equal requests at once share one verification.
 */
import { Problem } from "../core/errors.ts";
import type { Groth16Proof } from "../core/groth16.ts";
import { traced } from "../telemetry/trace.ts";

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

  readonly #verified: (holds: boolean, seconds: number) => void;

  /** @param verified is told of each verification and how long it took, waiting included */
  constructor(
    verifier: Verifier,
    limit: number = QUEUE,
    verified: (holds: boolean, seconds: number) => void = () => {},
  ) {
    this.#verifier = verifier;
    this.#limit = limit;
    this.#verified = verified;
  }

  /** Proofs that wait or are being verified. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Whether another proof would be turned away. */
  get full(): boolean {
    return this.#pending.size >= this.#limit;
  }

  /** @throws {Problem} `verification_busy` when too many wait already */
  async verify(proof: Groth16Proof, publicSignals: readonly string[]): Promise<boolean> {
    const key = JSON.stringify([proof.pi_a, proof.pi_b, proof.pi_c, publicSignals]);
    const shared = this.#pending.get(key);
    if (shared) return await shared;
    if (this.full) {
      throw new Problem("verification_busy", undefined, { members: { retryAfter: RETRY_AFTER_SECONDS } });
    }
    const began = performance.now();
    const verification = traced("proof", () => this.#verifier.verify("withdraw", proof, publicSignals));
    this.#pending.set(key, verification);
    try {
      const holds = await verification;
      this.#verified(holds, (performance.now() - began) / 1000);
      return holds;
    } finally {
      this.#pending.delete(key);
    }
  }
}
