/**
 * What an event of the pool means for the withdrawal it names. Pure, so that the store may run it inside its own
 * transaction. Only two things end a job here: the pool's withdrawal log, and the pool's refusal of our own message.
 */
import type { Address } from "@ton/core";
import { exitCodeName } from "../core/errors.ts";
import { isLive, type Job, type SettlingEvent } from "../store/store.ts";

/**
 * The job after the event; undefined when it does not concern it.
 *
 * Anyone can send a pool a bad message with a nullifier hash seen in the mempool: a refusal counts only when the message
 * came from our wallet with the query id of our journal. A payment counts whoever submitted it, also for a job that was
 * given up: the note is spent.
 */
export function settle(job: Job, event: SettlingEvent, wallet: Address, now: number): Job | undefined {
  if (event.kind === "withdrawal") {
    if (job.state === "confirmed") return undefined;
    const { message: _, reason: __, ...kept } = job;
    return { ...kept, state: "confirmed", txHash: event.tx.hash, settledAt: now };
  }
  const ours = event.sender.equals(wallet) && event.queryId === job.queryId;
  if (!ours || !isLive(job)) return undefined;
  const { message: _, ...kept } = job;
  return {
    ...kept,
    state: "failed",
    reason: refusalName(event.exitCode),
    txHash: event.tx.hash,
    failures: job.failures + 1,
    settledAt: now,
  };
}

/**
 * The job when the payment that confirmed it turns out to be none of the chain's, or another one, `paid`; undefined when it
 * was not confirmed. An unpaid one's proof is gone, so it has expired and may be submitted again. What of it is on its way
 * still confirms it, and the pool pays once.
 */
export function unsettle(job: Job, paid: string | undefined, now: number): Job | undefined {
  if (job.state !== "confirmed") return undefined;
  if (paid !== undefined) return { ...job, txHash: paid };
  const { txHash: _, ...kept } = job;
  return { ...kept, state: "expired", reason: "its payment is not on chain after all", settledAt: now };
}

function refusalName(exitCode: number | undefined): string {
  if (exitCode === undefined) return "no gas";
  return exitCodeName(exitCode) ?? `exit code ${exitCode}`;
}
