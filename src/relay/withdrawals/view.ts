/** A withdrawal as callers see it: the response of `/withdraw/status`, and the member `withdrawal` of a 409. */
import { fieldToHex } from "../../core/crypto/field.ts";
import type { Job, JobState, Withdrawal } from "../../store/store.ts";

/** Times in unix seconds; unknown values are null. */
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

/** Returns the view of our own withdrawal. @param pool address as displayed */
export function buildJobView(pool: string, job: Job): WithdrawalView {
  return {
    pool,
    nullifierHash: fieldToHex(job.nullifierHash),
    state: job.state,
    seqno: job.seqno ?? null,
    fee: String(job.fee),
    refund: String(job.refund),
    messageHash: job.messageHash ?? null,
    txHash: job.txHash ?? null,
    reason: job.reason ?? null,
    acceptedAt: toUnixSeconds(job.acceptedAt),
    broadcastAt: toUnixSeconds(job.broadcastAt),
    settledAt: toUnixSeconds(job.settledAt),
  };
}

/**
 * Returns the view of a note paid through another relayer; `withdrawal` is absent if only the pool's getter reported
 * it.
 */
export function buildPaidView(pool: string, nullifierHash: bigint, withdrawal?: Withdrawal): WithdrawalView {
  return {
    pool,
    nullifierHash: fieldToHex(nullifierHash),
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

function toUnixSeconds(milliseconds: number | undefined): number | null {
  return milliseconds === undefined ? null : Math.floor(milliseconds / 1000);
}
