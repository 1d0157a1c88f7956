/**
 * Deduplicates equal concurrent withdrawals: the first runs the checks and is journaled, and the others share its
 * result. Two hundred equal requests load store, verifier and endpoint like one.
 */
import type { Job } from "../../store/store.ts";
import type { WithdrawRequest } from "./checks.ts";

/** The result of accepting a withdrawal. */
export interface DeduplicatedJob {
  readonly job: Job;
  /** Whether this request created the job; false for its duplicates. */
  readonly isFirst: boolean;
}

export class WithdrawalDeduplicator {
  readonly #pending = new Map<string, Promise<Job>>();

  /** Runs `work` for `request`, or joins an equal request in progress. Throws what `work` throws. */
  async deduplicate(request: WithdrawRequest, work: () => Promise<Job>): Promise<DeduplicatedJob> {
    const key = requestKey(request);
    const earlier = this.#pending.get(key);
    if (earlier !== undefined) return { job: await earlier, isFirst: false };
    const taken = work();
    this.#pending.set(key, taken);
    try {
      return { job: await taken, isFirst: true };
    } finally {
      this.#pending.delete(key);
    }
  }
}

/** Returns a key of all members of a request. */
function requestKey({ pool, proof, signals, recipient, fee, refund }: WithdrawRequest): string {
  const numbers = [...Object.values(signals), fee, refund].map(String);
  return JSON.stringify([pool.toRawString(), recipient.toRawString(), numbers, proof]);
}
