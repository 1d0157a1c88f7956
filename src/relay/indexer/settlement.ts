/**
 * Applies a pool event to the job that it names. Pure, so that the store can run it within a transaction. Only two
 * events end a job: the pool's withdrawal log, and the pool's refusal of our own message.
 */
import type { Address } from "@ton/core";
import { exitCodeName } from "../../core/errors/problem.ts";
import { isLive, isPaid, type Job, omitJobMembers, type SettlingEvent } from "../../store/store.ts";
import type { WithdrawalEvent } from "../../ton/pool/pool_events.ts";

/**
 * Returns the job after the event; undefined if the event does not affect it.
 *
 * Anyone can send a pool an invalid message with a nullifier hash from the mempool, so a refusal counts only if the
 * message came from our wallet with the journaled query id. A payment counts regardless of its submitter, also for a
 * job that has ended: the note is spent. It confirms the job only if it paid what was submitted.
 */
export function settleJob(job: Job, event: SettlingEvent, wallet: Address, now: number): Job | undefined {
  if (event.kind === "withdrawal") {
    return isPaid(job) ? undefined : { ...asPaid(job, event, wallet), settledAt: now };
  }
  const ours = event.sender.equals(wallet) && event.queryId === job.queryId;
  if (!ours || !isLive(job)) return undefined;
  return {
    ...omitJobMembers(job, "message"),
    state: "failed",
    reason: refusalReason(event.exitCode),
    txHash: event.tx.hash,
    failures: job.failures + 1,
    settledAt: now,
  };
}

/**
 * Reopens a paid job whose payment is not on chain, or was replaced by `payment`; returns undefined if it was not paid. A
 * job without a payment expires, because its proof was deleted; it may be submitted again. A message still in flight can
 * confirm it, and the pool pays only once.
 */
export function reopenJob(
  job: Job,
  payment: WithdrawalEvent | undefined,
  wallet: Address,
  now: number,
): Job | undefined {
  if (!isPaid(job)) return undefined;
  if (payment !== undefined) return asPaid(job, payment, wallet);
  const unpaid = omitJobMembers(job, "txHash");
  return { ...unpaid, state: "expired", reason: "its payment is not on chain", settledAt: now };
}

/** Returns the job as the pool paid its note. An ended job keeps no message. */
function asPaid(job: Job, event: WithdrawalEvent, wallet: Address): Job {
  return {
    ...omitJobMembers(job, "message", "reason"),
    state: isPaidAsSubmitted(job, event, wallet) ? "confirmed" : "superseded",
    fee: event.fee,
    refund: event.refund,
    txHash: event.tx.hash,
  };
}

/**
 * Returns whether a payment is the submitted one: made by our own message, or with the same payees and amounts. An ended
 * job no longer names its recipient, so only our own message can confirm it.
 */
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
