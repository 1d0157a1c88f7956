/**
 * Equal withdrawals at once are one: the first goes through the checks and into the journal, and the others hear what came
 * of it. Two hundred of them cost store, verifier and endpoint no more than one does.
 */
import type { Job } from "../store/store.ts";
import type { WithdrawRequest } from "./withdrawal_checks.ts";

/** What came of taking a withdrawal on. */
export interface Taken {
  readonly job: Job;
  /** Whether this very request became the job; else an equal one was first. */
  readonly first: boolean;
}

/** Withdrawals that are being taken on. */
export class Intake {
  readonly #underWay = new Map<string, Promise<Job>>();

  /** Takes `request` on by `work`, unless an equal one is being taken on. Throws what `work` throws. */
  async takeOn(request: WithdrawRequest, work: () => Promise<Job>): Promise<Taken> {
    const key = keyOf(request);
    const earlier = this.#underWay.get(key);
    if (earlier !== undefined) return { job: await earlier, first: false };
    const taken = work();
    this.#underWay.set(key, taken);
    try {
      return { job: await taken, first: true };
    } finally {
      this.#underWay.delete(key);
    }
  }
}

/** All that a request says. */
function keyOf({ pool, proof, signals, recipient, fee, refund }: WithdrawRequest): string {
  const numbers = [...Object.values(signals), fee, refund].map(String);
  return JSON.stringify([pool.toRawString(), recipient.toRawString(), numbers, proof]);
}
