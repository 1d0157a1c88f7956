/** What the pool's events mean for a job: a payment or a refusal ends it, a skipped withdrawal is sent again. Pure. */
import type { Address } from "@ton/core";
import { exitCodeName, exitCodes } from "../../core/errors/problem.ts";
import { isLive, isPaid, type Job, type JobEvent } from "../../store/store.ts";
import type { WithdrawalEvent } from "../../ton/pool/history/pool_events.ts";
import { getResendDelay } from "../withdrawals/policy.ts";
import { omit } from "../../core/omit.ts";

// Anyone can send a pool an invalid message with a nullifier hash, so only refusals of our wallet's message
// with the journaled query id count. A payment by any sender counts, also for an ended job, and confirms the
// job only if it paid as submitted.
export function applyJobEvent(job: Job, event: JobEvent, wallet: Address, now: number): Job | undefined {
  if (event.kind === "withdrawal") {
    return isPaid(job) ? undefined : { ...asPaid(job, event, wallet), endedAt: now };
  }
  const ours = event.sender.equals(wallet) && event.queryId === job.queryId;
  if (!ours || !isLive(job)) return undefined;
  if (event.kind === "skipped") {
    // The payment of a spent note is another event.
    return event.code === exitCodes.ERR_ALREADY_SPENT ? undefined : asUnsent(job, now);
  }
  if (event.op === "withdraw_many" || event.exitCode === exitCodes.ERR_STALE_SLOT) return asUnsent(job, now);
  return {
    ...omit(job, "message"),
    state: "failed",
    reason: refusalReason(event.exitCode),
    txHash: event.tx.hash,
    failures: job.failures + 1,
    endedAt: now,
  };
}

/** Resends a job alone with a new path: another withdrawal changed its slot or shared its refused message. */
function asUnsent(job: Job, now: number): Job {
  const attempts = (job.attempts ?? 0) + 1;
  const queryId = BigInt.asUintN(64, job.queryId + job.nullifierHash);
  return { ...job, state: "accepted", queryId, attempts, notBefore: now + getResendDelay(attempts) };
}

/** Reopens a job after a rollback. Without a payment it expires, because its proof was deleted. */
export function reopenJob(
  job: Job,
  payment: WithdrawalEvent | undefined,
  wallet: Address,
  now: number,
): Job | undefined {
  if (!isPaid(job)) return undefined;
  if (payment !== undefined) return asPaid(job, payment, wallet);
  const unpaid = omit(job, "txHash");
  return { ...unpaid, state: "expired", reason: "its payment is not on chain", endedAt: now };
}

function asPaid(job: Job, event: WithdrawalEvent, wallet: Address): Job {
  return {
    ...omit(job, "message", "reason"),
    state: isPaidAsSubmitted(job, event, wallet) ? "confirmed" : "superseded",
    fee: event.fee,
    refund: event.refund,
    txHash: event.tx.hash,
  };
}

/** An ended job no longer has its recipient, so only our own message can confirm it. */
function isPaidAsSubmitted(job: Job, event: WithdrawalEvent, wallet: Address): boolean {
  const { sender, queryId, recipient, relayer, fee, refund } = event;
  if (sender.equals(wallet) && queryId === job.queryId) return true;
  return job.message?.recipient === recipient.toRawString() && relayer?.equals(wallet) === true &&
    fee === job.fee && refund === job.refund;
}

function refusalReason(exitCode: number | undefined): string {
  if (exitCode === undefined) return "no gas";
  return exitCodeName(exitCode) ?? `exit code ${exitCode}`;
}
