/** Verifies proofs through a bounded queue: verification takes milliseconds of CPU and costs callers nothing. */
import { Problem } from "../../core/errors/problem.ts";
import type { Groth16Proof } from "../../core/crypto/groth16.ts";
import { monotonicClock } from "../../core/time/clock.ts";
import { SingleFlight } from "../../core/time/single_flight.ts";
import { withSpan } from "../../telemetry/trace.ts";

const MAX_PENDING_PROOFS = 64; // queued and running
const RETRY_AFTER_SECONDS = 1;

type WithdrawCircuit = "withdraw" | "withdraw2";

export interface WithdrawProofVerifier {
  verify(circuit: WithdrawCircuit, proof: Groth16Proof, publicSignals: readonly string[]): Promise<boolean>;
}

export class ProofVerifier {
  readonly #pending = new SingleFlight<boolean>();

  /** `verified` receives the duration of each verification, including its wait. */
  constructor(
    private readonly verifier: WithdrawProofVerifier,
    private readonly limit: number = MAX_PENDING_PROOFS,
    private readonly onVerified: (holds: boolean, seconds: number) => void = () => {},
  ) {}

  get pendingCount(): number {
    return this.#pending.size;
  }

  get isFull(): boolean {
    return this.#pending.size >= this.limit;
  }

  /** Throws `verification_busy` if the queue is full. */
  async verify(
    circuit: WithdrawCircuit,
    proof: Groth16Proof,
    publicSignals: readonly string[],
  ): Promise<boolean> {
    const key = JSON.stringify([circuit, proof.pi_a, proof.pi_b, proof.pi_c, publicSignals]);
    return await this.#pending.run(key, async () => {
      if (this.isFull) {
        throw new Problem("verification_busy", undefined, { members: { retryAfter: RETRY_AFTER_SECONDS } });
      }
      const began = monotonicClock.now();
      const holds = await withSpan("proof", () => this.verifier.verify(circuit, proof, publicSignals));
      this.onVerified(holds, (monotonicClock.now() - began) / 1000);
      return holds;
    }).result;
  }
}
