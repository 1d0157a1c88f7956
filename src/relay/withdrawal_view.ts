/** A withdrawal as callers see it: the answer of `/withdraw/status`, and the member `withdrawal` of a 409. */
import { toHex } from "../core/field.ts";
import type { Job, JobState, Withdrawal } from "../store/store.ts";

/** Times in unix seconds; what is not known, or not of this relayer, is null. */
export interface WithdrawalView {
  readonly pool: string;
  readonly nullifierHash: string;
  readonly state: JobState;
  readonly seqno: number | null;
  readonly fee: string | null;
  readonly refund: string | null;
  readonly messageHash: string | null;
  readonly txHash: string | null;
  readonly reason: string | null;
  readonly acceptedAt: number | null;
  readonly broadcastAt: number | null;
  readonly settledAt: number | null;
}

/** The view of our own withdrawal. @param pool address as it is shown */
export function viewOfJob(pool: string, job: Job): WithdrawalView {
  return {
    pool,
    nullifierHash: toHex(job.nullifierHash),
    state: job.state,
    seqno: job.seqno ?? null,
    fee: String(job.fee),
    refund: String(job.refund),
    messageHash: job.messageHash ?? null,
    txHash: job.txHash ?? null,
    reason: job.reason ?? null,
    acceptedAt: seconds(job.acceptedAt),
    broadcastAt: seconds(job.broadcastAt),
    settledAt: seconds(job.settledAt),
  };
}

/** The view of a note that somebody else paid out; `withdrawal` is absent when only the pool's getter told of it. */
export function viewOfPayment(pool: string, nullifierHash: bigint, withdrawal?: Withdrawal): WithdrawalView {
  return {
    pool,
    nullifierHash: toHex(nullifierHash),
    state: "confirmed",
    seqno: null,
    fee: withdrawal ? String(withdrawal.fee) : null,
    refund: withdrawal ? String(withdrawal.refund) : null,
    messageHash: null,
    txHash: withdrawal?.txHash ?? null,
    reason: null,
    acceptedAt: null,
    broadcastAt: null,
    settledAt: withdrawal?.timestamp ?? null,
  };
}

function seconds(milliseconds: number | undefined): number | null {
  return milliseconds === undefined ? null : Math.floor(milliseconds / 1000);
}
