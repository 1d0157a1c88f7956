/** How a transfer and the passing of time change a job. Pure. */
import { omit } from "../../core/omit.ts";
import type { Job, Transfer } from "../../store/store.ts";
import { getResendDelay } from "../withdrawals/policy.ts";

/** If the job has already ended, only seqno and hash are set. */
export function asBroadcast(job: Job, { seqno, hash }: Transfer, now: number): Job | undefined {
  if (job.broadcastAt !== undefined && job.messageHash === hash && job.state !== "accepted") return job;
  const state = job.state === "accepted" ? "broadcast" : job.state;
  return { ...job, state, seqno, messageHash: hash, broadcastAt: now };
}

export function asRequeued(job: Job, now: number): Job | undefined {
  if (job.state !== "accepted" && job.state !== "broadcast") return undefined;
  const attempts = (job.attempts ?? 0) + 1;
  return { ...job, state: "accepted", attempts, notBefore: now + getResendDelay(attempts) };
}

/** Ends a job whose root the pool no longer accepts. An ended job has no message. */
export function asExpired(job: Job, now: number): Job {
  return {
    ...omit(job, "message"),
    state: "expired",
    reason: "its root left the pool's history",
    endedAt: now,
  };
}
